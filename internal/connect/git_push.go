package connect

import (
	"context"
	"errors"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/gate"
	"github.com/assay-dev/assay/internal/snapshot"
)

var _ codehost.GitPusher = (*Snapshots)(nil)

// PushCommit implements [codehost.GitPusher] with the object store of reviews.
func (s *Snapshots) PushCommit(ctx context.Context, access codehost.CloneAccess, repo codehost.Repo, c codehost.NewCommit,
	by codehost.CommitAuthor) (codehost.MadeCommit, error) {
	remote, host, err := s.remote(ctx, access)
	if err != nil {
		return codehost.MadeCommit{}, pushError(err)
	}
	p := snapshot.Push{Branch: c.Branch, Head: c.Head, Message: c.Message, Name: by.Name, Email: by.Email, At: time.Now(),
		Turn: func(ctx context.Context, talk func(context.Context) error) error {
			return gate.HoldWrite(ctx, s.Gate, access.Budget, func(ctx context.Context) error { return limitOf(talk(ctx)) })
		}}
	for _, f := range c.Files {
		p.Files = append(p.Files, snapshot.PushedFile{Path: f.Path, Content: f.Content, Delete: f.Delete})
	}
	id, err := s.Cache.Push(ctx, remote, storeKey(host, repo), p)
	if err != nil {
		return codehost.MadeCommit{}, pushError(err)
	}
	return codehost.MadeCommit{ID: id, Parent: c.Head}, nil
}

// pushError returns the error of a push in the port's classes.
func pushError(err error) error {
	if _, is := errors.AsType[*codehost.Error](err); is {
		return err
	}
	out := &codehost.Error{Class: codehost.ClassUnavailable, Op: "git push", Cause: err}
	failed, known := errors.AsType[*errs.Error](err)
	switch {
	case errors.Is(err, snapshot.ErrPushLost):
		out.Class = codehost.ClassAmbiguous
	case !known:
		return out
	case failed.Kind == errs.Conflict, failed.Code == "commit_gone": // the branch no longer has the expected head
		out.Class = codehost.ClassStale
	case failed.Kind == errs.NotFound:
		out.Class = codehost.ClassNotFound
	case failed.Kind == errs.Forbidden:
		out.Class = codehost.ClassForbidden
	case failed.Kind == errs.Invalid, failed.Kind == errs.Malformed:
		out.Class = codehost.ClassInvalid
	case failed.Kind == errs.TooLarge:
		out.Class = codehost.ClassTooLarge
	}
	if known {
		out.Message = failed.Message
	}
	return out
}
