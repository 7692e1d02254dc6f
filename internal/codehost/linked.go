package codehost

import "context"

// MaxLinkedIssues bounds the issues that a host links to a pull request (design choice).
const MaxLinkedIssues = 50

// IssueLinker tells which issues of a tracker elsewhere the host itself links to a pull
// request. Not every host offers it; see [IssueLinkerOf].
type IssueLinker interface {
	// LinkedIssues lists the keys of such issues as the host has them, at most
	// [MaxLinkedIssues]; text from outside. Issues of the host are none.
	LinkedIssues(ctx context.Context, repo Repo, number int) ([]string, error)
}

// IssueLinkerOf returns what tells the issues that a host links; ok is false where a host
// does not.
func IssueLinkerOf(h Reader) (l IssueLinker, ok bool) {
	l, ok = h.(IssueLinker)
	return l, ok
}
