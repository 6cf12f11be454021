"""Downloads: pages whose tasks wait for the files that their rows name."""
