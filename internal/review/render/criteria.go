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

// criteria says of each ticket what was read of it, and shows its criteria in a table.
func (r *renderer) criteria() (out []markdown.Text) {
	tables := 0
	for _, t := range r.Result.Tickets {
		key := r.ticket(t)
		if key.Empty() {
			continue
		}
		switch {
		case t.KeyOnly:
			out = append(out, r.words.Say(wording.TicketOnly, key))
			continue
		case t.Unread != "":
			out = append(out, r.words.Say(wording.TicketUnread, key, r.line(t.Unread, maxNote)))
			continue
		case t.Criteria == 0:
			out = append(out, r.words.Say(wording.TicketNone, key))
			continue
		}
		rows, met, all := r.rows(t.Key)
		out = append(out, markdown.Bold(r.words.Say(wording.Criteria, key, r.words.Number(met), r.words.Number(all))))
		if tables++; tables > maxTables {
			continue
		}
		table := markdown.Join("\n", append([]markdown.Text{r.words.Say(wording.CriteriaColumns), markdown.Const("|---|---|---|")}, rows...)...)
		if len(rows) > maxUnfolded {
			table = r.fold(r.words.Count(wording.CriteriaFolded, len(rows)), table)
		}
		out = append(out, table)
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
