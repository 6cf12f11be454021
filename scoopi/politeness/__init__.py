"""How gently hosts are asked, by this node and by all nodes together."""
