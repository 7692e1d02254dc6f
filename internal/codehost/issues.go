package codehost

import (
	"context"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// Bounds of an issue (design choices). A longer body is cut, and [Issue.Cut] reports it.
const (
	MaxIssueBody  = 64 << 10 // bytes
	maxIssueTitle = 1000     // bytes
)

// Issue is an issue of the host itself. Title, Body and URL are text from outside.
type Issue struct {
	Number int
	Title  string
	Body   string // Markdown, at most [MaxIssueBody] bytes
	Cut    bool   // the body was longer
	URL    string
	Open   bool
}

// Bounded returns the issue with its texts cut to the bounds.
func (i Issue) Bounded() Issue {
	i.Cut = len(i.Body) > MaxIssueBody
	i.Title, i.Body = clip.Bytes(i.Title, maxIssueTitle), clip.Bytes(i.Body, MaxIssueBody)
	if len(i.URL) > MaxPath {
		i.URL = ""
	}
	return i
}

// IssueReader reads the issues of repositories. Not every host offers it; see [IssueReaderOf].
type IssueReader interface {
	// Issue reads an issue of the repository. It fails with [ClassNotFound] if the issue does not exist, is a
	// pull request, or is hidden from some people who read the repository.
	Issue(ctx context.Context, repo Repo, number int) (Issue, error)
	// IssueKind returns the kind of the host, which decides the keywords that close an issue.
	IssueKind() domain.ConnectionKind
}

// IssueReaderOf returns the IssueReader of a host. ok is false if the host does not offer it.
func IssueReaderOf(h Reader) (r IssueReader, ok bool) {
	r, ok = h.(IssueReader)
	return r, ok
}

// NoIssue returns the error of [IssueReader.Issue] for an issue that must not be read.
func NoIssue(op string) error {
	return &Error{Class: ClassNotFound, Op: op, Message: "the repository has no such issue that all its readers may read"}
}
