package fix

import (
	"slices"

	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/wording"
)

// Reason names why a finding has no fix. The values are stored and counted; they never change their meaning.
type Reason string

// The reasons. [Reason.Sentence] has their words.
const (
	// The proposal.
	TooManyFindings Reason = "too_many_findings" // beyond MaxFindings
	NotPlaced       Reason = "not_placed"        // the finding names no file of the head that can be edited
	NoModel         Reason = "no_model"          // no model is routed
	NoFix           Reason = "no_fix"            // the model proposes no edit
	BadAnswer       Reason = "bad_answer"        // the answer cannot be read, is cut, or repeats confidential text
	ModelRefused    Reason = "model_refused"     // the model or its provider refuses this request
	TooLong         Reason = "too_long"          // the code is longer than the model's context
	BudgetUsedUp    Reason = "budget_used_up"    // no further model calls

	// The files.
	PathInvalid    Reason = "path_invalid"    // the path leads out of the repository, or is malformed
	PathMissing    Reason = "path_missing"    // the head has no such file
	PathExcluded   Reason = "path_excluded"   // the policy leaves the file out
	PathSettings   Reason = "path_settings"   // the repository's settings file of assay
	PathCI         Reason = "path_ci"         // a definition of CI or of a build server
	PathLock       Reason = "path_lock"       // a lock file
	PathGuidelines Reason = "path_guidelines" // instructions of reviewers or assistants
	PathAnalysers  Reason = "path_analysers"  // the configuration of linters and scanners
	PathLink       Reason = "path_link"       // a link, or a path through one
	PathSubmodule  Reason = "path_submodule"
	PathGenerated  Reason = "path_generated" // generated, minified or vendored code
	PathBinary     Reason = "path_binary"    // not a text in UTF-8, or too large
	Unrelated      Reason = "unrelated"      // a file or a place that the finding does not concern

	// The edits.
	SearchMissing   Reason = "search_missing"   // a search text does not stand in its file
	SearchAmbiguous Reason = "search_ambiguous" // a search text stands in its file more than once
	Overlapping     Reason = "overlapping"      // two edits of one fix, or of two findings, change the same lines
	TooLarge        Reason = "too_large"        // more than maxFiles, maxLines or maxEdits
	RunFull         Reason = "run_full"         // together with the fixes before it, more than maxFiles or maxLines
	Redacted        Reason = "redacted"         // the edit would write the placeholder of a secret into the file
	NoCode          Reason = "no_code"          // only comments or white space change
	Removes         Reason = "removes"          // a definition is removed or emptied
	Disables        Reason = "disables"         // code is made unreachable or a condition constant
	WeakensTest     Reason = "weakens_test"     // an assertion goes or changes, or a test is skipped
	SwallowsError   Reason = "swallows_error"   // an error that was reported is dropped
	AddsSwitch      Reason = "adds_switch"      // a comment that switches a check off
	AddsAccess      Reason = "adds_access"      // a call that runs programs or code, or an address, that the file did not have
	BreaksSyntax    Reason = "breaks_syntax"    // the parser does not accept the file any more

	// The checks of the result.
	AddsSecret   Reason = "adds_secret"
	AddsHidden   Reason = "adds_hidden"   // invisible characters
	AddsFinding  Reason = "adds_finding"  // another finding of a deterministic check
	Unchecked    Reason = "unchecked"     // the checks could not read the new file within their bounds
	StillThere   Reason = "still_there"   // the finding's own check still reports it
	NotRefuted   Reason = "not_refuted"   // the verifier does not say that the finding is mended
	NotProven    Reason = "not_proven"    // the verifier says so without a quote of the new lines
	MakesWorse   Reason = "makes_worse"   // the second look finds a problem that the edit brings
	NotCheckable Reason = "not_checkable" // a check of the program failed on this fix
)

// reasons returns all reasons in the order of the documents.
func reasons() []Reason {
	return []Reason{
		TooManyFindings, NotPlaced, NoModel, NoFix, BadAnswer, ModelRefused, TooLong, BudgetUsedUp,
		PathInvalid, PathMissing, PathExcluded, PathSettings, PathCI, PathLock, PathGuidelines, PathAnalysers, PathLink, PathSubmodule,
		PathGenerated, PathBinary, Unrelated,
		SearchMissing, SearchAmbiguous, Overlapping, TooLarge, RunFull, Redacted, NoCode, Removes, Disables, WeakensTest, SwallowsError,
		AddsSwitch, AddsAccess, BreaksSyntax,
		AddsSecret, AddsHidden, AddsFinding, Unchecked, StillThere, NotRefuted, NotProven, MakesWorse, NotCheckable,
	}
}

// Sentence returns the words of a reason in a language, and no text for a value that is not one of the constants.
func (r Reason) Sentence(w wording.Words) markdown.Text {
	i := slices.Index(reasons(), r)
	if i < 0 {
		return markdown.Text{}
	}
	return w.Say(wording.FixTooManyFindings + wording.Key(i))
}
