package codehost

import "context"

// MaxLinkedIssues is the most issues that a host links to a pull request (design choice).
const MaxLinkedIssues = 50

// IssueLinker lists the issues of an external tracker that the host itself links to a pull request. Not
// every host offers it; see [IssueLinkerOf].
type IssueLinker interface {
	// LinkedIssues lists the keys of these issues as the host has them, at most [MaxLinkedIssues]; text
	// from outside. It leaves out issues of the host itself.
	LinkedIssues(ctx context.Context, repo Repo, number int) ([]string, error)
}

// IssueLinkerOf returns the IssueLinker of a host. ok is false if the host does not offer it.
func IssueLinkerOf(h Reader) (l IssueLinker, ok bool) {
	l, ok = h.(IssueLinker)
	return l, ok
}
