"""What plugs in: see `readgraph.plugins`."""

from readgraph.library.address import StoreKind
from readgraph.plugins import give

stores = give(
    StoreKind(
        schemes=("postgresql", "postgres"),
        place="on a PostgreSQL server: write postgresql://USER@HOST/DATABASE",
        opener="readgraph.features.postgres.store:open_store",
        needs="pip install 'readgraph[postgres]'",
    )
)
