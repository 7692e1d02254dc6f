package engine

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/wording"
)

// Bounds of the texts beside the code that verifiers read and write (design choices).
const (
	maxAuthor    = 2000 // bytes of the author's title and description
	maxDocuments = 3    // documents on which a verdict rests
	maxDocument  = 120  // characters of each
)

// claims returns the title and description as prompts quote them; "" if both are empty.
func (p PullRequest) claims() string {
	title, text := change.OneLine(change.CleanProse(p.Title)), change.CleanProse(p.Body)
	if title == "" && text == "" {
		return ""
	}
	return strings.TrimSpace("title: " + title + "\n" + text)
}

// authorBlock returns the author's words as a block of a prompt; "" without any.
func authorBlock(g ask.Guard, claims string) string {
	if claims == "" {
		return ""
	}
	return "\nWhat the author says about the change, unverified:\n" + g.Wrap("claims of the author", claims)
}

// authorWords returns the part of the author's words that verifiers read.
func (w *work) authorWords() string { return change.Cut(w.author.claims(), maxAuthor) }

// authorSays returns the author's own words, without labels of ours and without a model's summary: quotations of them count.
func (w *work) authorSays() string {
	pr := w.in.PullRequest
	return w.redact(change.TidyProse(pr.Title)) + "\n" + change.Cut(w.redact(change.TidyProse(pr.Body)), maxDescription)
}

// intends reports whether a verdict proves that the code is meant to be as it is: by a quote of the author's words, or of a test or
// document at the head that the model has seen. Tests and documents of the change count too, because they say what its author
// wants, and this decides only how a confirmed finding is said.
func (c claim) intends(v verdict, author string) bool {
	q := change.StripSpace(v.IntendedQuote)
	if v.Intended != "yes" || utf8.RuneCountInString(q) < change.MinProof || len(q) > change.MaxProof {
		return false
	}
	if quotesWords(author, v.IntendedQuote) {
		return true
	}
	return slices.ContainsFunc(slices.Concat(c.cited, c.seen), func(e change.Exhibit) bool {
		class, _ := diff.Classify(e.Path, nil)
		return !e.Left && (class == diff.ClassTest || class == diff.ClassDocs) && strings.Contains(e.Text, q)
	})
}

// quotesWords reports whether a text has a quotation, white space aside.
func quotesWords(text, quote string) bool {
	return strings.Contains(change.StripSpace(text), change.StripSpace(quote))
}

// statesWithdrawn states an earlier finding that was asked because of words which the author has taken out of the description since.
// It has no comment on its line, because the summary has shown it.
func (w *work) statesWithdrawn(it *finding.Item) {
	if it.Aside == wording.English(wording.AsideIntended) && it.MeantBy != "" && !quotesWords(w.authorSays(), it.MeantBy) {
		it.Aside, it.MeantBy = "", ""
	}
}

// documents returns the documented behaviour on which a confirmation rests, as evidence.
func (v verdict) documents() (out []domain.Evidence) {
	for _, d := range v.RestsOn[:min(len(v.RestsOn), maxDocuments)] {
		note := change.OneLine(change.StripInvisible(strings.TrimSpace(d.What + " " + d.Version)))
		if note = clip.Runes(note, maxDocument, "…"); note != "" {
			out = append(out, domain.Evidence{Kind: domain.EvidenceDoc, Note: note})
		}
	}
	return out
}

// linkTwins notes which of the claims of one prompt report the same defect as another. A claim that another one names is never
// itself folded into a third.
func (w *work) linkTwins(claims []claim, applied []verdict) {
	for _, v := range applied {
		a, b := claimIndex(claims, v), claimIndex(claims, verdict{Claim: v.SameAs})
		if a < 0 || b < 0 || a == b {
			continue
		}
		it, other := claims[a].it, claims[b].it
		named := slices.ContainsFunc(claims, func(c claim) bool { return c.it.Twin == it })
		if !named && other.Twin == nil && standAlike(it, other) && sameDefect(it, other) && w.in.Policy.Allows(it.Category) &&
			w.in.Policy.Allows(other.Category) {
			it.Twin = other
		}
	}
}

// standAlike reports whether two confirmed findings have equal claims to be shown, so that it does not matter which of them stays. A
// model, and through it an author, must not fold a broken rule or a hole into something harmless.
func standAlike(a, b *finding.Item) bool {
	isConfirmed := func(it *finding.Item) bool {
		return !it.Resolves && it.ID == "" && it.Verdict == domain.VerdictConfirmed && !it.RepeatsTool && !it.Alone
	}
	rule := a.Category == domain.CategoryRule || b.Category == domain.CategoryRule
	return isConfirmed(a) && isConfirmed(b) && (!rule || a.RuleID == b.RuleID) && a.Scope == b.Scope && a.Reviewed == b.Reviewed &&
		a.Changed == b.Changed && a.Intended == b.Intended && anchor.Family(a.Category) == anchor.Family(b.Category)
}

// sameDefect reports whether the code bears out that two claims report one defect: lines of one file that overlap, lines under one
// rule, or much the same code.
func sameDefect(a, b *finding.Item) bool {
	if a.Anchor.Path != b.Anchor.Path || a.Anchor.Side != b.Anchor.Side {
		return false
	}
	onLines := a.Anchor.Level == domain.AnchorLine && b.Anchor.Level == domain.AnchorLine
	return onLines && (finding.Overlap(a.Anchor, b.Anchor, finding.LineSlack) || a.RuleID == b.RuleID && domain.NamesDefect(a.RuleID)) ||
		alikeCode(a, b)
}

// alikeCode reports whether the quoted code of two findings is much the same.
func alikeCode(a, b *finding.Item) bool {
	x, y := change.StripSpace(a.Anchor.Quote), change.StripSpace(b.Anchor.Quote)
	return x != "" && x == y || finding.LikeTexts(a.QuotedWords(), b.QuotedWords())
}

// joinTwins leaves one of the findings that the verifier calls the same. The others are listed as places of it.
func (w *work) joinTwins(fresh []*finding.Item) []*finding.Item {
	return slices.DeleteFunc(fresh, func(it *finding.Item) bool {
		into := it.Twin
		if into == nil || !slices.Contains(fresh, into) {
			return false
		}
		into.AddReport(it)
		into.Severity = max(into.Severity, it.Severity)
		addPlace(into, it)
		w.drop(whyDuplicate, 1)
		w.discard(Discarded{Why: whyDuplicate, Finding: it.Finding, into: into.Fingerprints.Exact,
			Check: domain.Check{Said: it.Check.Said, Reason: it.Check.Reason}})
		return true
	})
}
