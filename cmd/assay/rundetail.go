package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/assay-dev/assay/internal/store"
)

// approvalWords describes the state of the decision on a review.
func approvalWords(a approvalInfo) string {
	if a.DecidedAt == nil {
		return a.State + " since " + when(a.WaitsFrom) + ", expires " + when(a.ExpiresAt)
	}
	said := a.State + " at " + when(a.DecidedAt)
	if a.DecidedBy != "" {
		said += " by " + a.DecidedBy + " (" + a.How + ")"
	}
	if n := len(a.Changes.Drop); n > 0 {
		said += fmt.Sprintf(", %d left out", n)
	}
	if n := len(a.Changes.Edit); n > 0 {
		said += fmt.Sprintf(", %d edited", n)
	}
	if a.Note != "" {
		said += ": " + a.Note
	}
	return said
}

// askerWords names the person who asked for a run, and how.
func askerWords(a *askerInfo) string {
	switch {
	case a == nil:
		return "not known"
	case a.Name == "":
		return a.How
	}
	return a.Name + " (" + a.How + ")"
}

// printDetail writes a run for people.
func printDetail(w io.Writer, d runDetail) error {
	rows := [][]string{{"run", d.ID}, {"pull request", cell(d.Repository, 80) + "#" + strconv.Itoa(d.PullRequest)},
		{"head", d.HeadSHA}, {"state", d.State}, {"reason", cell(d.Reason, 200)},
		{"trigger", cell(d.Trigger, 80)}, {"asked by", cell(askerWords(d.AskedBy), 200)}, {"model", cell(d.ModelState, 40)},
		{"made", when(d.CreatedAt)}, {"started", when(d.StartedAt)}, {"finished", when(d.FinishedAt)}, {"took", took(d.runInfo)}}
	if a := d.Approval; a != nil {
		rows = append(rows, []string{"approval", cell(approvalWords(*a), 300)}, []string{"digest", a.Digest})
	}
	if p := d.Publication; p != nil {
		rows = append(rows, []string{"published", cell(p.Phase+" "+p.Kind+" "+p.URL+" "+p.Reason, 300)})
	}
	if err := pairs(w, rows); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d findings\n", len(d.Findings))
	if len(d.Findings) > 0 {
		var found [][]string
		for _, f := range d.Findings {
			place := cell(f.Anchor.Path, 60)
			if f.Anchor.StartLine > 0 {
				place += ":" + strconv.Itoa(f.Anchor.StartLine)
			}
			found = append(found, []string{f.Severity.String(), cell(string(f.Category), 20), place, cell(string(f.Route), 12), cell(f.Title, 80)})
		}
		if err := table(w, []string{"SEVERITY", "CATEGORY", "PLACE", "ROUTE", "TITLE"}, found); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	if err := printTransitions(w, d.Transitions); err != nil {
		return err
	}
	if len(d.Usage) > 0 {
		fmt.Fprintln(w)
		var used [][]string
		for _, u := range d.Usage {
			used = append(used, []string{u.Tier, cell(u.Model, 40), fmt.Sprint(u.Calls), fmt.Sprint(u.InputTokens),
				fmt.Sprint(u.CachedTokens), fmt.Sprint(u.OutputTokens)})
		}
		if err := table(w, []string{"TIER", "MODEL", "CALLS", "INPUT", "CACHED", "OUTPUT"}, used); err != nil {
			return err
		}
	}
	if len(d.ToolCalls) > 0 {
		fmt.Fprintln(w)
		var looked [][]string
		for _, c := range d.ToolCalls {
			looked = append(looked, []string{fmt.Sprint(c.Ordinal), c.Stage, cell(c.Tool, 20), cell(c.Arguments, 80), c.Outcome, fmt.Sprint(c.Hits)})
		}
		if err := table(w, []string{"LOOK", "STAGE", "TOOL", "WITH", "OUTCOME", "SHOWN"}, looked); err != nil {
			return err
		}
	}
	if len(d.Jobs) > 0 {
		fmt.Fprintln(w)
		return printJobs(w, d.Jobs)
	}
	return nil
}

// toTransitions returns the JSON form of a run's transitions.
func toTransitions(steps []store.Transition) []transitionInfo {
	out := []transitionInfo{}
	for _, x := range steps {
		out = append(out, transitionInfo{x.From, x.To, x.Cause, instant(x.AtUS)})
	}
	return out
}

func printTransitions(w io.Writer, steps []transitionInfo) error {
	var rows [][]string
	for _, t := range steps {
		rows = append(rows, []string{when(t.At), cell(t.From, 20), t.To, cell(t.Cause, 80)})
	}
	return table(w, []string{"AT", "FROM", "TO", "CAUSE"}, rows)
}

// jobsOf returns the jobs about a subject.
func jobsOf(ctx context.Context, s *store.Store, subject string) ([]jobInfo, error) {
	jobs, err := s.JobsOf(ctx, subject)
	out := []jobInfo{}
	for _, j := range jobs {
		out = append(out, toJobInfo(j))
	}
	return out, err
}
