"""Declares every setting (key, type, default, unit, scope, help) and determines its value and origin."""
