package dryrun

import (
	"context"
	"errors"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/guideline"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
)

// Code opens the code of repositories.
type Code interface {
	// Newest opens a repository at the newest commit of its default branch, or at the commit at if that is
	// set, and returns the commit. The caller closes the store.
	Newest(ctx context.Context, r store.Repository, at string) (code *snapshot.Repo, commit string, err error)
}

// DiffReview is a request to review a diff before it becomes a pull request.
type DiffReview struct {
	Repository store.Repository
	Base       string // commit on the host that the diff applies to; "" for the newest of the default branch
	Diff       []byte
	Title      string // the author's title; may be ""
	Body       string
	Run        string // id of the requesting call; model calls are recorded under it

	Progress func(ask.Progress) // never called concurrently; may be nil
}

// DiffReviewed is the result of a review of a diff.
type DiffReviewed struct {
	engine.Result
	Base string // commit
	// Redact removes the secrets of the change and other text that looks like a secret.
	Redact func(string) string
}

// ReviewDiff reviews a diff against a commit with the policy, rules, models and budgets of the repository.
// It publishes nothing and ignores earlier reviews. If a model fails, the findings of deterministic checks
// remain. It returns the errors of [Code] and [snapshot.Repo.Patched].
func (s *Service) ReviewDiff(ctx context.Context, code Code, in DiffReview) (DiffReviewed, error) {
	t := domain.Tenant{ID: in.Repository.Tenant}
	repo, base, err := code.Newest(ctx, in.Repository, in.Base)
	if err != nil {
		return DiffReviewed{}, err
	}
	defer func() { _ = repo.Close() }() // the store was only read
	patched, err := repo.Patched(ctx, base, in.Diff)
	if err != nil {
		return DiffReviewed{}, err
	}
	defer func() { _ = patched.Close() }() // a leftover temporary folder does not spoil the review
	subject := review.Subject{Tenant: t, Repository: in.Repository.ID,
		PullRequest: codehost.PullRequest{Title: in.Title, Body: in.Body}, Base: base, MergeBase: base, Head: patched.Tree,
		Depth: domain.DepthFull}
	if subject.Levels, err = s.Store.PolicySources(ctx, t, in.Repository.ID); err != nil {
		return DiffReviewed{}, err
	}
	if subject.Policy, _, err = policy.Resolve(subject.Levels); err != nil {
		return DiffReviewed{}, err
	}
	if subject.Rules, err = policy.Rules(ctx, s.Store, t, in.Repository.ID, subject.Policy); err != nil {
		return DiffReviewed{}, err
	}
	gatherer := review.Gatherer{Store: s.Store, Snapshots: opened{patched}, DigestKeys: s.DigestKeys}
	input, _, err := gatherer.Gather(ctx, nil, codehost.Repo{}, subject)
	if err != nil {
		return DiffReviewed{}, err
	}
	input.Full = true
	result, err := s.judgeDiff(ctx, t, in, input)
	if err != nil {
		return DiffReviewed{}, err
	}
	out := DiffReviewed{Result: result, Base: base, Redact: s.Scan}
	if result.Redact != nil {
		out.Redact = func(text string) string { return s.Scan(result.Redact(text)) }
	}
	return out, nil
}

// judgeDiff runs the engine, with models if they are routed and answer.
func (s *Service) judgeDiff(ctx context.Context, t domain.Tenant, in DiffReview, input engine.Input) (engine.Result, error) {
	if s.Models == nil || s.Engine == nil {
		return engine.Result{}, errs.New(errs.Unavailable, "unavailable", "This process cannot review.")
	}
	models, recorder, err := s.Models.OpenFor(ctx, review.Caller{Tenant: t, Repository: in.Repository.ID, Run: in.Run,
		Kind: store.RunKindDiff})
	if err != nil {
		return engine.Result{}, err
	}
	deps := engine.Deps{Progress: in.Progress}
	if recorder != nil {
		deps.Recorder = recorder
	}
	if input.Models = models; models == nil {
		input.ModelNote = engine.NoteNotConfigured
	}
	input.WithoutVerifier = true
	result, err := s.Engine(deps).Review(ctx, input)
	if down, is := errors.AsType[*llm.Error](err); is && ctx.Err() == nil {
		input.Models, input.ModelNote = nil, "the model failed: "+s.Scan(down.Words())
		result, err = s.Engine(deps).Review(ctx, input)
	}
	if down := result.VerifierFailure; err == nil && down != nil {
		result.Notices = append(result.Notices, "Findings were not verified, because the model failed: "+s.Scan(down.Words()))
	}
	return result, err
}

// opened is an applied diff that stands in for a fetched snapshot.
type opened struct{ *snapshot.Patched }

// Open implements [review.Snapshots].
func (o opened) Open(context.Context, codehost.Reader, codehost.Repo, int, string, string, ...string) (review.Snapshot, error) {
	return o, nil
}

// At implements [review.Snapshot].
func (o opened) At(commit string) guideline.Tree { return o.Patched.At(commit) }

// Notice implements [review.Snapshot].
func (opened) Notice() string { return "" }
