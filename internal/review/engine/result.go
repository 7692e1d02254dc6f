package engine

import (
	"slices"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/criteria"
	"github.com/assay-dev/assay/internal/review/sast"
	final "github.com/assay-dev/assay/internal/review/verdict"
)

// The states of the model's part of a review.
const (
	ModelComplete    = "complete"    // every selected hunk was reviewed and every candidate verified
	ModelPartial     = "partial"     // some of it; ModelNote says how much
	ModelUnavailable = "unavailable" // a model should have reviewed; ModelNote says why it did not
	ModelNone        = "none"        // no model work was due: not configured, or nothing to review
)

// FileNote names a file and why it was not reviewed fully ("" when it was).
type FileNote struct {
	Path   string `json:"path"`
	Why    string `json:"why,omitempty"`
	Extent string `json:"extent,omitempty"` // how much was looked at: ExtentRead, …; "" in results of older versions
}

// Coverage says what became of every file of the diff; each is in one list.
type Coverage struct {
	Reviewed []FileNote `json:"reviewed"` // every changed hunk, by this run or an earlier one
	Skimmed  []FileNote `json:"skimmed"`  // deterministic checks only, or some of its hunks
	Skipped  []FileNote `json:"skipped"`  // not looked at
}

// Stats is the funnel of a review and its counts.
type Stats struct {
	Files           int            `json:"files"`
	Additions       int            `json:"additions"`
	Deletions       int            `json:"deletions"`
	Chunks          int            `json:"chunks"`
	ChunksDone      int            `json:"chunksDone"`
	Calls           int            `json:"calls"`             // model calls paid for in this run
	CachedStages    int            `json:"cachedStages"`      // results of an interrupted run that were used again
	Deterministic   int            `json:"deterministic"`     // findings of checks
	Generated       int            `json:"generated"`         // candidates of models
	Anchored        int            `json:"anchored"`          // candidates with a valid place
	Verified        int            `json:"verified"`          // candidates that a verifier confirmed
	Published       int            `json:"published"`         // new findings that are inline or in the summary
	StaticUnchanged int            `json:"staticUnchanged"`   // static-analysis findings on unchanged lines, stored only
	Earlier         int            `json:"earlier"`           // findings open and shown before this run, without those closed on the host
	EarlierResolved int            `json:"earlierResolved"`   // of those, the ones that no longer hold
	Dropped         map[string]int `json:"dropped,omitempty"` // candidates by reason
	Left            final.Left     `json:"left,omitzero"`     // findings that a decision hides; zero in older results
	Basis           bool           `json:"basis,omitempty"`   // new findings carry what [Reroute] needs; false in results of older versions
}

// Result is the outcome of a review. Nothing in it was published yet.
type Result struct {
	// Findings holds everything that holds at the head, in rank order: new
	// findings, and earlier ones (Known) that are still open or were closed by
	// a person.
	Findings []domain.Finding `json:"findings"`
	// Resolved holds ids of earlier findings whose code changed and that no longer hold.
	Resolved []string `json:"resolved,omitempty"`
	// Blocking holds ids of findings that fail the check run whatever the
	// policy says: secrets and violations of mandatory rules.
	Blocking []string `json:"blocking,omitempty"`
	// UnmatchedRules holds ids of mandatory rules whose patterns were not matched against the whole change.
	UnmatchedRules []string `json:"unmatchedRules,omitempty"`
	// Standing holds ids of earlier findings that this run has found or confirmed again, or whose hunk is as it was.
	// It does not hold those that nothing judged, because no model was asked or could be.
	Standing []string `json:"-"`
	// Tier is the depth that triage chose: T0 to T4.
	Tier    string `json:"tier"`
	TierWhy string `json:"tierWhy,omitempty"`
	// Depth is [domain.DepthReduced] where less was looked at on purpose.
	Depth      domain.Depth `json:"depth,omitempty"`
	Coverage   Coverage     `json:"coverage"`
	Hunks      []string     `json:"hunks,omitempty"` // ids of hunks that a model reviewed in this run
	ModelState string       `json:"modelState"`
	ModelNote  string       `json:"modelNote,omitempty"`
	Synopsis
	// Notices are sentences for the summary that are no findings, for example
	// that the change edits the reviewer's own instructions.
	Notices []string `json:"notices,omitempty"`
	Stats   Stats    `json:"stats"`
	// Analyses are the runs of static analysers that the review used, and AnalysesLeft names what it left out of them.
	Analyses     []sast.Analysis `json:"analyses,omitempty"`
	AnalysesLeft []sast.Note     `json:"analysesLeft,omitempty"`
	// SilentAnalysers are those without a run in this review that have open findings, by name.
	SilentAnalysers []sast.Analysis `json:"silentAnalysers,omitempty"`
	// UncheckedFiles are those that a deterministic check did not read, or not within bounds.
	UncheckedFiles []string `json:"-"`
	// RepositoryFile are lines about the repository's settings file: what in it has no effect, and why.
	RepositoryFile []string `json:"repositoryFile,omitempty"`
	// ChecksOff are lines about the settings that switch deterministic checks off.
	ChecksOff []string `json:"checksOff,omitempty"`
	// Tickets are those that the change belongs to, and CriterionChecks the verdicts about
	// their acceptance criteria, one for each criterion, in their order.
	Tickets         []criteria.Ticket       `json:"tickets,omitempty"`
	CriterionChecks []domain.CriterionCheck `json:"criterionChecks,omitempty"`
	// Discarded are the candidates that came to nothing, at most [maxDiscarded].
	Discarded []Discarded `json:"-"`
	// Context is the code beside the change that prompts of generation showed, at most [maxContextItems] items by reason.
	Context []ContextItem `json:"-"`
	// IndexCommit is the commit of the code index that searches of the head asked; "" if they read the checkout alone.
	IndexCommit string `json:"indexCommit,omitempty"`
	// Diff is the change as it was looked at: without its secrets, and without the lines of files that could not
	// be checked for some. It must not be changed.
	Diff *diff.Set `json:"-"`
	// VerifierFailure says why findings are not verified. It is nil if no provider of a verifier failed.
	VerifierFailure *llm.Error `json:"-"`
	// Guidelines is what the review learned from the guideline files. It is nil if they were not read.
	Guidelines *GuidelinesSeen `json:"-"`
	// Redact replaces the secrets of this change by placeholders, for callers that show its code. It is nil in a
	// result that was stored and read.
	Redact func(text string) string `json:"-"`
}

// Open returns the findings that are open, in rank order.
func (r Result) Open() []domain.Finding {
	out := make([]domain.Finding, 0, len(r.Findings))
	for _, f := range r.Findings {
		if f.State == domain.FindingOpen {
			out = append(out, f)
		}
	}
	return out
}

// Fruitless reports whether a model should have reviewed the change, none did,
// and deterministic checks found nothing: publishing it would look as if
// nothing were wrong. A budget or a limit that is used up is no failure; what it
// leaves undone is said.
func (r Result) Fruitless() bool {
	return r.ModelState == ModelUnavailable && !slices.Contains([]string{NoteBudget, NoteAuthorLimit, NoteOutsideLimit}, r.ModelNote) &&
		!slices.ContainsFunc(r.Open(), func(f domain.Finding) bool { return f.Origin.Deterministic() })
}

// Blocks reports whether the finding fails the check run whatever the policy says.
func (r Result) Blocks(id string) bool { return slices.Contains(r.Blocking, id) }
