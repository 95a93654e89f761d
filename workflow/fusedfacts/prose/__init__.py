"""Numbers in prose: quoted from claims, found where they are not, written into documents."""
