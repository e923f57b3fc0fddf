"""A wiki of documents: pages of persons, places, things and topics."""
