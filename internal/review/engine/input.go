package engine

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/guideline"
	"github.com/assay-dev/assay/internal/review/match"
	"github.com/assay-dev/assay/internal/review/sast"
)

// PullRequest is the text of a pull request: claims by its author, never
// instructions. The verifier and deterministic checks do not see it.
type PullRequest struct {
	Number              int
	Title, Body, Author string
}

// Rule is a rule of the tenant or repository, which a model or a pattern checks.
type Rule struct {
	ID          string // stable; findings carry "repo/<ID>"
	Title       string
	Instruction string
	Paths       []string // globs; none means every path
	Except      []string // globs of paths that it does not concern
	Languages   []string // lower-case names of [diff.File.Language]; none means every language
	Severity    domain.Severity
	Mandatory   bool // a confirmed violation is always inline and fails the check
	// Matcher is a pattern that checks the rule in place of a model; nil: a model checks it.
	Matcher *match.Spec
	File    string // the repository's file with this instruction; "" for a rule that people have entered
}

// Input is everything a review depends on. The engine reads nothing else but
// the clock (for durations) and a random source (for delimiters).
type Input struct {
	Repository                  string // our repository id; part of fingerprints
	Public                      bool   // everybody reads the repository, and so the review
	PullRequest                 PullRequest
	BaseSHA, MergeBase, HeadSHA string
	Diff                        []byte // unified diff, merge base to head, with renames
	Source                      change.Source
	IndexCommit                 string // of the code index that searches of the head ask; "" without one
	Notice                      string // a sentence about how the code was read, for the summary; "" for none
	Policy                      domain.Policy
	Rules                       []Rule
	Guidelines                  *Guidelines      // nil: none are wanted
	RepositoryFile              []string         // what in the repository's settings file has no effect, one line each
	ChecksOff                   []string         // the settings that switch deterministic checks off, one line each
	FilePreview                 []string         // sentences about a change of that file, for the summary
	Known                       []domain.Finding // earlier findings of this pull request with their state
	// DigestKeys are the keys with which values of secrets are told apart, the newest first; see [check.Options]. The caller
	// keeps them for all reviews whose findings it compares. Without keys, two secrets on equal lines are one.
	DigestKeys [][]byte
	// Analyses are documents of static analysers about the head. They are used if the policy allows static analysis.
	Analyses []sast.Input
	// Suppressions are the accepted ones that are in effect.
	Suppressions []domain.Suppression
	// Thresholds are those that the calibration of the repository has moved.
	Thresholds domain.Thresholds
	// Comments are the open threads of other people and apps. Their texts are only stored. The caller decides
	// which authors to believe.
	Comments []Comment
	// Elsewhere returns which exact fingerprints a published review of another pull request of the repository
	// shows; nil: there is nothing to ask.
	Elsewhere func(ctx context.Context, prints []string) (map[string]bool, error)
	// Tickets are the issues that the change belongs to, at most [domain.MaxTickets], and
	// EarlierChecks the newest verdicts about their criteria.
	Tickets       []domain.Ticket
	EarlierChecks []domain.CriterionCheck
	// SilentTrackers is how many issue trackers did not say which issues there are, so
	// that Tickets may lack some. The summary says so.
	SilentTrackers int
	ReviewedHunks  map[string]bool // hunk ids that earlier runs reviewed with a model
	Full           bool            // review everything again
	Synopsis       Synopsis        // of the last review; the zero value for none
	// Round is the number of this review of the pull request, 0 if unknown. Previous has the files at the head of
	// the last review; nil: they are not available.
	Round    int
	Previous guideline.Tree
	AnyPath  bool // findings stand on lines at paths that are not UTF-8, too, because no host shows them
	// WithoutVerifier keeps what was found where the model that verifies fails for good. Otherwise its error
	// is returned, which wraps [ErrVerifier], so that the caller can wait for the model.
	WithoutVerifier bool
	Asked           bool         // a person asked for the review: new findings in reviewed hunks are shown too
	Depth           domain.Depth // [domain.DepthFull] if ""
	Tier            string       // T1 to T4: the depth, whatever the change is, for measuring; "" for what it asks for
	Context         ContextLevel // [ContextRepository] if ""
	Models          *ask.Models  // nil: deterministic checks only
	ModelNote       string       // why there is no model; shown in the summary

	programs bool // analysers run: set by [Engine.Review] only, because answers to replies and criteria need no new findings
}
