package domain

// ShortCommit returns the first seven digits of a commit's id, for display.
func ShortCommit(sha string) string { return sha[:min(len(sha), 7)] }
