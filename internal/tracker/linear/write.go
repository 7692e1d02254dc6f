package linear

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/wire"
)

// idForm matches an id of the API.
var idForm = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

// FindComment implements [tracker.Writer].
func (a *adapter) FindComment(ctx context.Context, key, marker string) (string, bool, error) {
	const op = "find comment"
	if !keyForm.MatchString(key) {
		return "", false, wire.UnknownIssue(op)
	}
	if err := wire.CheckComment(op, "x", marker); err != nil {
		return "", false, err
	}
	var after *string
	for read := 0; read < wire.MaxSearched; {
		var out struct {
			Issue *struct{ Comments page[comment] }
		}
		if err := a.ask(ctx, op, queryComments, map[string]any{"id": key, "first": pageSize, "after": after}, &out); err != nil {
			return "", false, err
		}
		if out.Issue == nil {
			return "", false, wire.UnknownIssue(op)
		}
		for _, c := range out.Issue.Comments.Nodes {
			if c.User != nil && c.User.IsMe && strings.Contains(c.Body, mark(marker)) {
				return c.ID, true, nil
			}
		}
		read += len(out.Issue.Comments.Nodes)
		if after = out.Issue.Comments.next(after); after == nil {
			return "", !out.Issue.Comments.PageInfo.HasNextPage, nil
		}
	}
	return "", false, nil
}

// PutComment implements [tracker.Writer].
func (a *adapter) PutComment(ctx context.Context, key, id, text, marker string) (string, error) {
	const op = "write comment"
	if !keyForm.MatchString(key) || id != "" && !idForm.MatchString(id) {
		return "", wire.UnknownIssue(op)
	}
	if err := wire.CheckComment(op, text, marker); err != nil {
		return "", err
	}
	type payload struct {
		Success bool
		Comment struct{ ID string }
	}
	var out struct{ CommentCreate, CommentUpdate payload }
	query, vars := createComment, map[string]any{"input": map[string]any{"issueId": key, "body": withMarker(text, marker)}}
	if id != "" {
		query, vars = updateComment, map[string]any{"id": id, "input": map[string]any{"body": withMarker(text, marker)}}
	}
	if err := a.change(ctx, op, query, vars, &out); err != nil {
		return "", err
	}
	made := out.CommentCreate
	if id != "" {
		made = out.CommentUpdate
	}
	return made.Comment.ID, checkConfirmed(op, made.Success && idForm.MatchString(made.Comment.ID))
}

// PutLink implements [tracker.Writer] with an attachment. An issue has one per address (schema,
// attachmentCreate).
func (a *adapter) PutLink(ctx context.Context, key string, link tracker.Link) error {
	const op = "write link"
	if !keyForm.MatchString(key) {
		return wire.UnknownIssue(op)
	}
	if err := wire.CheckLink(op, link); err != nil {
		return err
	}
	var out struct{ AttachmentCreate struct{ Success bool } }
	input := map[string]any{"issueId": key, "title": wire.Title(link.Title), "url": wire.Address(link.URL)}
	if err := a.change(ctx, op, createLink, map[string]any{"input": input}, &out); err != nil {
		return err
	}
	return checkConfirmed(op, out.AttachmentCreate.Success)
}

// checkConfirmed returns an error unless the answer confirms the write.
func checkConfirmed(op string, yes bool) error {
	if yes {
		return nil
	}
	return &tracker.Error{Class: tracker.ClassAmbiguous, Op: op, Message: "the answer does not say that it was written"}
}
