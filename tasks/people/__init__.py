"""The people of a project: members, invitations, imported raters."""
