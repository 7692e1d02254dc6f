package review

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
)

// Subject is the change that the engine judges, with the rules for it.
type Subject struct {
	Tenant      domain.Tenant
	Repository  string // its id
	PullRequest codehost.PullRequest

	// Previous is the head of the last review, if the findings are compared with it; "" if not.
	Previous string

	// Base is a commit of the target branch, whose guideline files count. Head is judged against MergeBase.
	Base, MergeBase, Head string

	Policy domain.Policy
	Levels store.PolicySources // that Policy comes from; the zero value: the repository's own file is not read
	Rules  []policy.Rule       // rules that are not applied are left out
	Depth  domain.Depth

	KeepFile func(ctx context.Context, body string) // receives the repository's file as it is stored; nil: it is not kept
}

// Gatherer collects the engine's input, for runs that publish and for dry runs.
type Gatherer struct {
	Store      *store.Store
	Snapshots  Snapshots
	DigestKeys DigestKeys
	CodeIndex  CodeIndex // nil: searches read the checkout alone
}

// DigestKeys returns the keys with which the values of a repository's secrets are told apart, the newest first; see
// [engine.Input]. A nil function has no keys.
type DigestKeys func(t domain.Tenant, repository string) [][]byte

func (k DigestKeys) of(t domain.Tenant, repository string) [][]byte {
	if k == nil {
		return nil
	}
	return k(t, repository)
}

// gatherer returns the gatherer of the service's reviews.
func (s *Service) gatherer() Gatherer {
	return Gatherer{s.Store, s.Snapshots, s.DigestKeys, s.CodeIndex}
}

// CodeIndex opens the index of the code on a repository's default branch, and returns its commit. The error is of kind Conflict if
// there is no index.
type CodeIndex func(ctx context.Context, t domain.Tenant, repository string) (snapshot.WordIndex, string, error)

// indexed is a snapshot whose searches may ask an index.
type indexed interface{ UseIndex(x snapshot.WordIndex) }

// useIndex makes the searches of a snapshot ask the repository's index, and returns its commit, or "" if searches read the checkout
// alone. A review does not fail with the index.
func (g Gatherer) useIndex(ctx context.Context, snap Snapshot, s Subject) string {
	of, is := snap.(indexed)
	if !is || g.CodeIndex == nil {
		return ""
	}
	index, commit, err := g.CodeIndex(ctx, s.Tenant, s.Repository)
	if err != nil {
		return ""
	}
	of.UseIndex(index)
	return commit
}

// Gather reads the change from the host and returns the engine's input, without models and without earlier
// knowledge of the pull request. The caller closes the snapshot.
func (g Gatherer) Gather(ctx context.Context, host codehost.Reader, repo codehost.Repo, s Subject) (engine.Input, Snapshot, error) {
	hidden, err := g.suppressions(ctx, s)
	if err != nil {
		return engine.Input{}, nil, err
	}
	thresholds, err := g.Store.Thresholds(ctx, s.Tenant, s.Repository)
	if err != nil {
		return engine.Input{}, nil, err
	}
	pr := s.PullRequest
	snap, err := g.Snapshots.Open(ctx, host, repo, pr.Number, s.MergeBase, s.Head, s.extraCommits()...)
	if err != nil {
		return engine.Input{}, nil, err
	}
	diff, err := snap.Diff(ctx)
	if err != nil {
		_ = snap.Close()
		return engine.Input{}, nil, err
	}
	commit := g.useIndex(ctx, snap, s)
	ofFile, notes, err := s.withFile(ctx, snap)
	if err != nil {
		_ = snap.Close()
		return engine.Input{}, nil, err
	}
	off, err := s.checksOff()
	if err != nil {
		_ = snap.Close()
		return engine.Input{}, nil, err
	}
	preview, err := g.previewFile(ctx, s, snap, diff)
	if err != nil {
		_ = snap.Close()
		return engine.Input{}, nil, err
	}
	rules, err := engineRules(s.Rules)
	if err != nil {
		_ = snap.Close()
		return engine.Input{}, nil, err
	}
	in := engine.Input{
		Repository:  s.Repository,
		PullRequest: engine.PullRequest{Number: pr.Number, Title: pr.Title, Body: pr.Body, Author: pr.Author},
		BaseSHA:     s.Base, MergeBase: s.MergeBase, HeadSHA: s.Head,
		Diff: diff, Source: snap, Notice: snap.Notice(), Policy: s.Policy, Rules: append(rules, ofFile...),
		Guidelines: g.guidelines(s, snap), Depth: s.Depth, RepositoryFile: notes, ChecksOff: off, FilePreview: preview,
		Suppressions: hidden, Thresholds: thresholds, DigestKeys: g.DigestKeys.of(s.Tenant, s.Repository), IndexCommit: commit,
	}
	if s.Previous != "" {
		in.Previous = snap.At(s.Previous)
	}
	return in, snap, nil
}

// suppressions returns the repository's suppressions that are in effect.
func (g Gatherer) suppressions(ctx context.Context, s Subject) ([]domain.Suppression, error) {
	rows, err := g.Store.SuppressionsInEffect(ctx, s.Tenant, s.Repository)
	out := make([]domain.Suppression, 0, len(rows))
	for _, v := range rows {
		names := []string{v.Matches}
		if v.Scope == domain.ScopeFingerprint {
			names = append(names, store.FromJSON[[]string](v.Prints)...)
		}
		highest, known := domain.ParseSeverity(v.Severity)
		if !known {
			highest = domain.Critical
		}
		out = append(out, domain.Suppression{ID: v.ID, Scope: v.Scope, Matches: names, Paths: store.FromJSON[[]string](v.Paths),
			MaxSeverity: highest})
	}
	return out, err
}

// extraCommits returns the commits that a review needs beside those of the change: the head of the last review, and that of
// the target branch, for its guideline files and its settings file. The author has chosen the merge base, which may be older than these
// files.
func (s Subject) extraCommits() (commits []string) {
	if (s.Policy.GuidelineFiles || s.readsFile()) && s.Base != "" && s.Base != s.MergeBase {
		commits = append(commits, s.Base)
	}
	if s.Previous != "" {
		commits = append(commits, s.Previous)
	}
	return commits
}

// guidelines returns the source of the guideline files; nil if the policy does not use them.
func (g Gatherer) guidelines(s Subject, snap Snapshot) *engine.Guidelines {
	if !s.Policy.GuidelineFiles {
		return nil
	}
	return &engine.Guidelines{Tree: snap.At(s.Base), Kept: keptSentences{g.Store, s.Tenant}}
}

// known returns the earlier findings of the pull request.
func (w *work) known(ctx context.Context) ([]domain.Finding, error) {
	rows, err := w.Store.KnownFindings(ctx, w.run.Owner(), w.run.PullRequest)
	out := make([]domain.Finding, 0, len(rows))
	for _, k := range rows {
		out = append(out, k.Finding)
	}
	return out, err
}
