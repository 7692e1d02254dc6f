package render

import (
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/review/criteria"
	"github.com/assay-dev/assay/internal/wording"
)

// Bounds of the tickets in a summary.
const (
	maxTables   = 3   // tickets whose criteria are listed; others show only numbers
	maxUnfolded = 10  // rows that are visible without a click
	maxCell     = 240 // characters of a criterion or reason
	maxProofs   = 2   // places of a verdict
)

var verdictWords = map[string]wording.Key{
	domain.CriterionMet: wording.CriterionMet, domain.CriterionPartly: wording.CriterionPartly,
	domain.CriterionNotMet:  wording.CriterionNotMet,
	domain.CriterionUnclear: wording.CriterionUnclear, domain.CriterionNotApplicable: wording.CriterionNot,
}

// Pieces is a summary split into its tickets and the text around them.
type Pieces struct {
	Before, After markdown.Text
	Tickets       []Ticket
	Most          int           // characters; the rest is cut
	End           markdown.Text // after the cut
	// CheckTail ends the text of the check run, after the same pieces.
	CheckTail markdown.Text
	MostCheck int
	CheckEnd  markdown.Text // after the cut
}

// Ticket is the text of a summary about one ticket.
type Ticket struct {
	Key, URL string
	Text     markdown.Text
}

// joined joins the pieces.
func (p Pieces) joined() markdown.Text {
	parts := []markdown.Text{p.Before}
	for _, t := range p.Tickets {
		parts = append(parts, t.Text)
	}
	return markdown.Blocks(append(parts, p.After)...)
}

// Tickets returns the texts of a summary about the tickets of a result.
func Tickets(in Input) []Ticket {
	in = in.withDefaults()
	r := renderer{Input: in, words: wording.In(in.Policy.Language)}
	return r.criteria()
}

// criteria reports for each ticket whether it was read, and shows its criteria in a table.
func (r *renderer) criteria() (out []Ticket) {
	tables := 0
	say := func(t criteria.Ticket, parts ...markdown.Text) {
		out = append(out, Ticket{Key: t.Key, URL: t.URL, Text: markdown.Blocks(parts...).Scan(r.Redact)})
	}
	for _, t := range r.Result.Tickets {
		key := r.ticket(t)
		if key.Empty() {
			continue
		}
		switch {
		case t.KeyOnly:
			say(t, r.words.Say(wording.TicketOnly, key))
			continue
		case t.Unread != "":
			say(t, r.words.Say(wording.TicketUnread, key, r.line(t.Unread, maxNote)))
			continue
		case t.Criteria == 0:
			say(t, r.words.Say(wording.TicketNone, key))
			continue
		}
		rows, met, all := r.rows(t.Key)
		head := markdown.Bold(r.words.Say(wording.Criteria, key, r.words.Number(met), r.words.Number(all)))
		if tables++; tables > maxTables {
			say(t, head)
			continue
		}
		table := markdown.Join("\n", append([]markdown.Text{r.words.Say(wording.CriteriaColumns), markdown.Const("|---|---|---|")}, rows...)...)
		if len(rows) > maxUnfolded {
			table = r.fold(r.words.Count(wording.CriteriaFolded, len(rows)), table)
		}
		say(t, head, table)
	}
	return out
}

// ticket returns the key of a ticket, as a link if it has a URL.
func (r *renderer) ticket(t criteria.Ticket) markdown.Text {
	shown := r.Redact(t.Key)
	if t.KeyOnly || shown != t.Key || !markdown.Linkable(t.URL) {
		return markdown.Span(shown)
	}
	return markdown.Link(markdown.Span(shown), t.URL)
}

// rows returns the rows of a ticket's criteria, those to work on first, the number of met ones, and the number of those that code
// can meet.
func (r *renderer) rows(key string) (rows []markdown.Text, met, all int) {
	checks := slices.Clone(r.Result.CriterionChecks)
	slices.SortStableFunc(checks, func(a, b domain.CriterionCheck) int {
		return domain.CompareVerdicts(a.Verdict, b.Verdict)
	})
	for _, c := range checks {
		if c.Ticket != key {
			continue
		}
		word := r.words.Say(verdictWords[c.Verdict])
		switch c.Verdict {
		case domain.CriterionMet:
			met++
			all++
		case domain.CriterionNotApplicable:
		case domain.CriterionNotMet, domain.CriterionPartly:
			word = markdown.Bold(word)
			all++
		default:
			all++
		}
		why := r.translate(c.Reason, wording.Unjudged, maxCell)
		if c.Verdict == domain.CriterionMet || c.Verdict == domain.CriterionPartly {
			var places []markdown.Text
			for _, p := range c.Places[:min(len(c.Places), maxProofs)] {
				places = append(places, r.place(p.Path, p.StartLine, p.EndLine))
			}
			if len(places) > 0 {
				why = r.words.Say(wording.Aside, why, r.words.List(places...))
			}
		}
		rows = append(rows, markdown.Row(word, r.line(c.Criterion.Text, maxCell), why))
	}
	return rows, met, all
}
