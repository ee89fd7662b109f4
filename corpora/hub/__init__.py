"""The Hugging Face Hub: publishing bundles as a dataset repository, fetching them pinned to a commit."""
