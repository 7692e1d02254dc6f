package gitea

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// checkDraft returns an error for a draft that the host would not take completely, before a request is
// sent. The error names the first wrong comment.
func (h *Host) checkDraft(ctx context.Context, op string, repo codehost.Repo, number int, d codehost.Draft) error {
	if err := wire.CheckPull(op, repo, number); err != nil {
		return err
	}
	able := h.Capabilities()
	switch {
	case !codehost.IsCommit(d.Commit):
		return codehost.Refused(op, "the commit must be a full commit id")
	case strings.TrimSpace(d.Body.String()) == "":
		return codehost.Refused(op, "a review needs a body")
	case utf8.RuneCountInString(d.Body.String()) > able.MaxBody:
		return tooLong(op, "the body is too long")
	case len(d.Comments) > able.MaxComments:
		return tooLong(op, "there are too many comments")
	}
	for i, c := range d.Comments {
		switch {
		case strings.TrimSpace(c.Body.String()) == "":
			return codehost.Refused(op, "comment %d is empty", i+1)
		case utf8.RuneCountInString(c.Body.String()) > able.MaxComment:
			return tooLong(op, "a comment is too long")
		case c.Side != string(domain.Left) && c.Side != string(domain.Right), c.Line <= 0, c.StartLine < 0, c.StartLine > c.Line:
			return codehost.Refused(op, "comment %d has no place", i+1)
		}
		if _, ok := wire.EscapePath(c.Path); !ok {
			return codehost.Refused(op, "comment %d has a path that no repository holds", i+1)
		}
	}
	p, err := h.pull(ctx, op, repo, number)
	if err != nil {
		return err
	}
	if len(d.Comments) == 0 {
		return nil
	}
	if p.Head != nil && p.Head.Sha == d.Commit {
		return h.checkAtHead(ctx, op, repo, number, d)
	}
	return h.checkInFiles(ctx, op, repo, p, d)
}

func tooLong(op, message string) error {
	return &codehost.Error{Class: codehost.ClassTooLarge, Op: op, Message: message}
}

// checkAtHead checks the places against the diff of the pull request.
func (h *Host) checkAtHead(ctx context.Context, op string, repo codehost.Repo, number int, d codehost.Draft) error {
	set, err := wire.ParsedDiff(ctx, h, repo, number)
	if err != nil {
		return err
	}
	for i, c := range d.Comments {
		f := set.File(c.Path)
		if f == nil {
			return codehost.Refused(op, "comment %d: the change has no file %q", i+1, c.Path)
		}
		for _, line := range []int{c.Line, c.StartLine} {
			if _, ok := f.Commentable(domain.Side(c.Side), line); line != 0 && !ok {
				return codehost.Refused(op, "comment %d: line %d of %q (%s) is not in the change", i+1, line, c.Path, c.Side)
			}
		}
	}
	return nil
}

// checkInFiles checks the places if the head has moved on. The host returns the diff of the head only, but
// the files of any commit. It can place a comment on every existing line.
func (h *Host) checkInFiles(ctx context.Context, op string, repo codehost.Repo, p *sdk.PullRequest, d codehost.Draft) error {
	type file struct{ path, sha string }
	lines := map[file]int{}
	for i, c := range d.Comments {
		at := file{c.Path, d.Commit}
		if c.Side == string(domain.Left) {
			at.sha = p.MergeBase
		}
		most, known := lines[at]
		if !known {
			text, err := h.Content(ctx, repo, at.path, at.sha)
			switch codehost.ClassOf(err) {
			case codehost.ClassNotFound:
				return codehost.Refused(op, "comment %d: there is no file %q at its commit", i+1, c.Path)
			case "":
				if err != nil {
					return err
				}
			default:
				return err
			}
			most = countLines(text)
			lines[at] = most
		}
		if c.Line > most {
			return codehost.Refused(op, "comment %d: %q has %d lines at its commit, not %d", i+1, c.Path, most, c.Line)
		}
	}
	return nil
}

func countLines(text []byte) int {
	n := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}
