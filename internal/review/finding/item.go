// Package finding holds a finding on its way through the stages of a review: the finding itself, the facts that only the
// engine needs, the passes that reported it, and the tests by which two findings are alike.
//
// It is pure: it reads no code, calls no model, and decides nothing about what is shown.
package finding

import (
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/wording"
)

// Bounds of the texts of a finding, in characters.
const (
	MaxTitle       = 80
	MaxExplanation = 1500
	MaxTrigger     = 600
)

// Item is a finding with the facts that the stages of a review need and no result carries.
type Item struct {
	domain.Finding

	// Known from the answer and the code.
	Mandatory   bool        // a secret, or a violation of a mandatory rule
	Changed     bool        // the place touches a changed line
	Reviewed    bool        // the place lies in a hunk that an earlier run reviewed
	Touched     bool        // the change has lines in the symbol of the place
	InTest      bool        // the file is a test
	Order       int         // index of the file in the diff
	LaterRound  bool        // the review is a later round, which comments on less
	FromPush    bool        // in a later round: the last push has changed lines of the place or of its evidence
	Threshold   float64     // the calibrated confidence that a Medium finding of the category needs; 0 if calibration has not moved it
	Place       int         // the place that a model gave it among results of analysers, from 1; 0 for none
	SameAs      string      // id of the earlier finding that the model itself calls the same; "" for none
	Answer      int         // number of the model's answer that reported it
	RepeatsTool bool        // it repeats words of an outside tool, and the review is public
	ToldBy      Teller      // who has already told the author
	Lineless    wording.Key // why it has no line; 0 until the route is decided
	Quality     Quality
	EvidenceIn  EvidenceScope

	// Known from the passes.
	By        []Pass // the passes that reported it, each once
	Reporters int    // general passes that reported it and were not told it
	Readers   int    // general passes of the tenant's own tiers over its part of the change
	PanelRead bool   // the panel read its part of the change

	// Known from the verification.
	Judged     bool   // the verifier gave a verdict
	Stands     bool   // an earlier finding that this run has found or confirmed again, or whose hunk is as it was
	Check      Check  // the verdict as the verifier gave it
	Unheard    bool   // no verifier gave a readable verdict
	Intended   bool   // the author's words, a test or a document say that the code is meant to be so
	Twin       *Item  // the verifier says that this other claim reports the same defect; nil for none
	Alone      bool   // one of two verifiers confirmed it: the summary is the most that shows it
	WouldBlock bool   // the verifier would stop the change for it
	Reachable  string // yes, no or unknown

	// Known from earlier runs.
	Resolves bool            // it asks whether an earlier finding still holds
	Reopens  bool            // a person dismissed it, and its code has changed since: only a verifier's word brings it back
	Returns  bool            // a resolved finding whose code is back; this run did not report it
	Instead  domain.Anchor   // the lines that replaced those of an earlier finding; zero if unknown
	Apart    []domain.Anchor // places of quoted lines that have left the others
	Reply    string          // a person's reply to the report; "" for none

	Why string // why it is not shown; "" if it is

	words, quoted anchor.Words // of the text and of the quotation; nil until counted
}

// Check is a verdict as a verifier gave it, whether or not a quotation proves it.
type Check struct {
	Said        domain.Verdict
	Title       string // the verifier's words; "" for none
	Explanation string
	Trigger     string   // the corrected trigger; "" if that of the report is right
	Reason      string   // the explanation for another model; "" if it repeats words of an outside tool
	Looked      []Lines  // code that was looked up, for a second opinion
	AlsoAt      []string // labels of the further places with the same defect
	Unread      bool     // a further place was not shown: its file could not be read, or there was no room
	RepeatsTool bool     // the words repeat an outside tool, and the review is public
}

// Lines are lines of one version of a file, both ends included.
type Lines struct {
	Path  string `json:"path"`
	Left  bool   `json:"left,omitempty"` // the version before the change
	First int    `json:"first"`
	Last  int    `json:"last"`
}

// AddReport adds the passes of another report of the same defect.
func (it *Item) AddReport(other *Item) {
	for _, p := range other.By {
		if !slices.Contains(it.By, p) {
			it.By = append(it.By, p)
		}
	}
	it.Readers, it.PanelRead = max(it.Readers, other.Readers), it.PanelRead || other.PanelRead
	for _, f := range other.FoundBy {
		if !slices.Contains(it.FoundBy, f) {
			it.FoundBy = append(it.FoundBy, f)
		}
	}
	it.CountPasses()
}

// Reached reports whether the verifier saw inputs reach the finding, in code that is not a test.
func (it *Item) Reached() bool { return it.Reachable == "yes" && !it.InTest }

// CountPasses fills in the votes, passes, lenses and names of passes of the finding. Only general passes vote, because a pass with another
// lens looks for something else. A further general pass is told what the ones before it found, so that its report of the
// same is not a vote, and it does not count among the passes over the finding's code. The panel is told nothing: it votes.
func (it *Item) CountPasses() {
	it.Lenses, it.PassNames = nil, nil
	own, panel := 0, 0
	it.Passes = it.Readers
	for _, p := range it.By {
		switch {
		case p.OfPanel():
			panel = 1
		case p.Lens == LensGeneral:
			own, it.Passes = 1, min(it.Passes, p.Number+1)
		}
		it.Lenses, it.PassNames = append(it.Lenses, string(p.Lens)), append(it.PassNames, p.Name())
	}
	if it.PanelRead {
		it.Passes++
	}
	slices.Sort(it.Lenses)
	it.Lenses = slices.Compact(it.Lenses)
	slices.Sort(it.PassNames)
	it.PassNames = slices.Compact(it.PassNames)
	it.Reporters = own + panel
	it.Votes = it.Reporters
}

// Agreed reports whether the panel and a model of another vendor reported the finding, neither told by the other.
func (it *Item) Agreed() bool {
	return slices.ContainsFunc(it.By, Pass.OfPanel) && slices.ContainsFunc(it.By, func(p Pass) bool { return !p.OfPanel() })
}

// Words counts the words of title and explanation, once.
func (it *Item) Words() anchor.Words {
	if it.words == nil {
		it.words = anchor.CountWords(it.Title + " " + it.Explanation)
	}
	return it.words
}

// QuotedWords counts the words of the quoted code, once.
func (it *Item) QuotedWords() anchor.Words {
	if it.quoted == nil {
		it.quoted = anchor.CountWords(it.Anchor.Quote)
	}
	return it.quoted
}

// Deterministic reports whether a check made the finding and no model.
func (it *Item) Deterministic() bool { return it.Origin.Deterministic() }

// Published reports whether the pull request shows the finding.
func (it *Item) Published() bool {
	return it.Route == domain.RouteInline || it.Route == domain.RouteSummary
}

// Quality is how the place that a model gave was found in the code.
type Quality uint8

// The qualities, the best first.
const (
	Exact Quality = iota
	Moved         // elsewhere in the file
	Fuzzy         // by similar lines
)

// EvidenceScope is how far the evidence of a finding reaches.
type EvidenceScope uint8

// The scopes, the nearest first.
const (
	InDiff EvidenceScope = iota
	InFile
	InRepository
)

// Teller is who has already told the author about a finding.
type Teller uint8

// The tellers.
const (
	Untold        Teller = iota
	InComment            // an open comment on the same lines
	InOtherReview        // a review of another pull request
	AtPlace              // an earlier finding of this pull request, which has it as a further place
)
