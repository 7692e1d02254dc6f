package engine

import (
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/wording"
)

// item is a finding on its way through the stages, with what only the engine
// needs to know.
type item struct {
	f      domain.Finding
	family string // group of neighbouring rule keys

	mandatory bool        // secret, or violation of a mandatory rule
	changed   bool        // the anchor touches a changed line
	reviewed  bool        // the anchor lies in a hunk that an earlier run reviewed
	same      string      // id of the earlier finding that it is by the model's own word, "" for none
	answer    int         // which answer of a model it is from
	test      bool        // in a test file
	touched   bool        // the change has lines in the symbol of the anchor
	repeats   bool        // its words are those of a tool of others, and everybody would read them
	toldBy    teller      // who has said it, so that it need not be said again
	lineless  wording.Key // why it has no line, 0 where it was not looked for
	order     int         // index of the file in the diff

	by     []aim // the passes that reported it, each once
	passes int   // general passes over its part

	quality  anchorQuality
	context  contextLevel
	votes    int           // general passes that reported it
	judged   bool          // the verifier has given a verdict
	unheard  bool          // no verifier has given one that can be read
	alone    bool          // confirmed by one of two who were asked: it is shown in the summary at most
	senior   bool          // the verifier would stop the change for it
	reach    string        // yes, no, unknown
	resolves bool          // asks whether an earlier finding still holds
	instead  domain.Anchor // the lines that took the place of those of an earlier finding; zero where nobody knows

	apart []domain.Anchor // where lines of its quotation stand that have left the others

	returns bool // a resolved finding whose code is back; this run did not report it

	why string // reason for not being published, "" if it is

	words, code anchor.Words // of what it says and of what it quotes, counted when asked for
}

// heard adds the passes of another report of the same.
func (it *item) heard(other *item) {
	for _, l := range other.by {
		if !slices.Contains(it.by, l) {
			it.by = append(it.by, l)
		}
	}
	it.passes = max(it.passes, other.passes)
	it.count()
}

// count makes of the passes what a finding carries of them. Those with a lens of their
// own look for something else and agree with nobody.
func (it *item) count() {
	it.votes, it.f.Lenses = 0, nil
	for _, l := range it.by {
		if l.lens == lensGeneral {
			it.votes++
		}
		it.f.Lenses = append(it.f.Lenses, string(l.lens))
	}
	slices.Sort(it.f.Lenses)
	it.f.Lenses = slices.Compact(it.f.Lenses)
	it.f.Votes, it.f.Passes = it.votes, it.passes
}

// said counts the words of the finding.
func (it *item) said() anchor.Words {
	if it.words == nil {
		it.words = anchor.CountWords(it.f.Title + " " + it.f.Explanation)
	}
	return it.words
}

// quoted counts the words of the code that the finding quotes.
func (it *item) quoted() anchor.Words {
	if it.code == nil {
		it.code = anchor.CountWords(it.f.Anchor.Quote)
	}
	return it.code
}

// anchorQuality says how a model's place was found.
type anchorQuality uint8

const (
	anchorExact anchorQuality = iota
	anchorMoved               // found elsewhere in the file
	anchorFuzzy               // found by similarity
)

// contextLevel says how far the evidence of a finding reaches.
type contextLevel uint8

const (
	contextDiff contextLevel = iota
	contextFile
	contextRepository
)

func (it *item) deterministic() bool { return it.f.Origin.Deterministic() }

// published reports whether the finding is shown on the pull request.
func (it *item) published() bool {
	return it.f.Route == domain.RouteInline || it.f.Route == domain.RouteSummary
}

// teller is who has said a finding already.
type teller uint8

const (
	nobody        teller = iota
	bySomebody           // in an open comment on these lines
	inAnotherPull        // in a review of another pull request
)
