package domain

// ShortCommit is the beginning of a commit's id, as people read it.
func ShortCommit(sha string) string { return sha[:min(len(sha), 7)] }
