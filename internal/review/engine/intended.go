package engine

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// Bounds of what verifiers read and say beside the code (design choices).
const (
	maxAuthor    = 2000 // bytes of the author's title and description
	maxDocuments = 3    // documents on which a verdict rests
	maxDocument  = 120  // characters of each
)

// claims returns the title and description as prompts quote them, or "" if there are none.
func (p PullRequest) claims() string {
	title, text := change.OneLine(change.CleanProse(p.Title)), change.CleanProse(p.Body)
	if title == "" && text == "" {
		return ""
	}
	return strings.TrimSpace("title: " + title + "\n" + text)
}

// authorBlock returns the author's words as a block of a prompt, or "" if there are none.
func authorBlock(g ask.Guard, claims string) string {
	if claims == "" {
		return ""
	}
	return "\nWhat the author says about the change, unverified:\n" + g.Wrap("claims of the author", claims)
}

// authorWords returns the part of the author's words that verifiers read.
func (w *work) authorWords() string { return change.Cut(w.author.claims(), maxAuthor) }

// intends reports whether a verdict proves that the code is meant to be as it is: by a quote of the author's words, or of a test or
// document at the head that the model has seen. Tests and documents of the change count too, because they say what its author
// wants, and this decides only how a confirmed finding is said.
func (c claim) intends(v verdict, author string) bool {
	q := change.StripSpace(v.IntendedQuote)
	if v.Intended != "yes" || utf8.RuneCountInString(q) < change.MinProof || len(q) > change.MaxProof {
		return false
	}
	if strings.Contains(change.StripSpace(author), q) {
		return true
	}
	return slices.ContainsFunc(slices.Concat(c.cited, c.seen), func(e change.Exhibit) bool {
		class, _ := diff.Classify(e.Path, nil)
		return !e.Left && (class == diff.ClassTest || class == diff.ClassDocs) && strings.Contains(e.Text, q)
	})
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

// linkTwins notes which of the claims of one prompt report the same defect as another. Both must be confirmed, and the
// code must bear it out: the same file, and lines that overlap, one rule, or much the same code. A claim that another one names is
// never itself folded into a third.
func linkTwins(claims []claim, verdicts []verdict) {
	for _, v := range verdicts {
		a, b := claimIndex(claims, v), claimIndex(claims, verdict{Claim: v.SameAs})
		if a < 0 || b < 0 || a == b {
			continue
		}
		it, other := claims[a].it, claims[b].it
		named := slices.ContainsFunc(claims, func(c claim) bool { return c.it.Twin == it })
		if !named && other.Twin == nil && sameDefect(it, other) {
			it.Twin = other
		}
	}
}

// sameDefect reports whether the code bears out that two confirmed claims report one defect.
func sameDefect(a, b *finding.Item) bool {
	if a.Resolves || b.Resolves || a.Verdict != domain.VerdictConfirmed || b.Verdict != domain.VerdictConfirmed ||
		a.Anchor.Path != b.Anchor.Path || a.Anchor.Side != b.Anchor.Side {
		return false
	}
	return finding.Overlap(a.Anchor, b.Anchor, finding.LineSlack) || a.RuleID == b.RuleID && finding.NamesDefect(a.RuleID) || alikeCode(a, b)
}

// alikeCode reports whether the quoted code of two findings is much the same.
func alikeCode(a, b *finding.Item) bool {
	return change.StripSpace(a.Anchor.Quote) == change.StripSpace(b.Anchor.Quote) || finding.LikeTexts(a.QuotedWords(), b.QuotedWords())
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
