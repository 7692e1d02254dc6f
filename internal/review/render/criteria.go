package render

import (
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/wording"
)

// Bounds of what a summary shows of tickets.
const (
	maxTables   = 3   // tickets whose criteria are listed; of others the numbers alone
	maxUnfolded = 10  // rows that are seen without a click
	maxCell     = 240 // characters of a criterion or reason
	maxProofs   = 2   // places of a verdict
)

var verdictWords = map[string]wording.Key{
	domain.CriterionMet: wording.CriterionMet, domain.CriterionPartly: wording.CriterionPartly, domain.CriterionNotMet: wording.CriterionNotMet,
	domain.CriterionUnclear: wording.CriterionUnclear, domain.CriterionNotApplicable: wording.CriterionNot,
}

// Pieces is a summary: what it says of tickets, and what stands around that.
type Pieces struct {
	Before, After markdown.Text
	Tickets       []Ticket
	Most          int // characters; what is beyond is cut
	// The check run says the same, and then this.
	CheckTail markdown.Text
	MostCheck int
}

// Ticket is what a summary says of one ticket.
type Ticket struct {
	Key, URL string
	Text     markdown.Text
}

// whole puts the pieces together.
func (p Pieces) whole() markdown.Text {
	parts := []markdown.Text{p.Before}
	for _, t := range p.Tickets {
		parts = append(parts, t.Text)
	}
	return markdown.Blocks(append(parts, p.After)...)
}

// Tickets says of the tickets of a result what a summary says of them.
func Tickets(in Input) []Ticket {
	in = in.whole()
	r := renderer{Input: in, words: wording.In(in.Policy.Language)}
	return r.criteria()
}

// criteria says of each ticket what was read of it, and shows its criteria in a table.
func (r *renderer) criteria() (out []Ticket) {
	tables := 0
	say := func(t engine.TicketSeen, parts ...markdown.Text) {
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

// ticket is its key, as a link where there is one.
func (r *renderer) ticket(t engine.TicketSeen) markdown.Text {
	shown := r.Redact(t.Key)
	if t.KeyOnly || shown != t.Key || !markdown.Linkable(t.URL) {
		return markdown.Span(shown)
	}
	return markdown.Link(markdown.Span(shown), t.URL)
}

// rows are those of a ticket's criteria, with how many are met of those that code can
// meet.
func (r *renderer) rows(key string) (rows []markdown.Text, met, all int) {
	for _, c := range r.Result.CriterionChecks {
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
		why := r.told(c.Reason, wording.Unjudged, maxCell)
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
