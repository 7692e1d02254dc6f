package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/criteria"
	"github.com/assay-dev/assay/internal/testkit"
)

// withCriteria is a review with a ticket of n criteria. The first one is met.
func withCriteria(n int) Input {
	in := input()
	in.Result.Tickets = []criteria.Ticket{{Key: "PAY-12", URL: "https://tracker.example/PAY-12", Title: "An average", Criteria: n}}
	for i := range n {
		c := domain.CriterionCheck{Ticket: "PAY-12", Criterion: domain.Criterion{ID: fmt.Sprint(i), Text: fmt.Sprintf("Criterion %d holds.", i)}, Verdict: domain.CriterionNotMet, Reason: "It is not there."}
		if i == 0 {
			c.Verdict, c.Reason, c.Places = domain.CriterionMet, "It is there.", []domain.Place{{Path: "shop/cart.go", StartLine: 3, EndLine: 4}}
		}
		in.Result.CriterionChecks = append(in.Result.CriterionChecks, c)
	}
	return in
}

func TestTheTableOfCriteria(t *testing.T) {
	t.Parallel()
	in := withCriteria(10)
	in.LinkFor = linkFor(true)
	body := Render(in).Body.String()
	for _, want := range []string{
		"**Acceptance criteria of [`PAY-12`](https://tracker.example/PAY-12): 1 of 10 met**\n\n| | Criterion | Why |\n|---|---|---|\n| **not met** | Criterion 1 holds. | It is not there. |\n",
		"\n| **not met** | Criterion 9 holds. | It is not there. |\n| met | Criterion 0 holds. | It is there. ([`shop/cart.go:3-4`](",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("without %q:\n%s", want, body)
		}
	}
	if strings.Contains(body, "<details>") {
		t.Error("ten criteria are folded")
	}
	eleven := Render(withCriteria(11)).Body.String()
	if !strings.Contains(eleven, "<details><summary>11 criteria</summary>\n\n| | Criterion | Why |") {
		t.Errorf("eleven are not folded:\n%s", eleven)
	}
	plain := withCriteria(11)
	plain.Host = codehost.CapabilitiesOf(domain.BitbucketCloud)
	if body := Render(plain).Body.String(); strings.Contains(body, "<details>") || !strings.Contains(body, "**11 criteria**\n\n| | Criterion") {
		t.Errorf("a host without HTML:\n%s", body)
	}
}

// Text in a cell does not end the cell, and is harmless.
func TestCellsOfCriteria(t *testing.T) {
	t.Parallel()
	in := withCriteria(1)
	in.Result.CriterionChecks[0].Criterion.Text = "a | b `c|d` \\| @octocat <b>x</b>\n| e"
	in.Result.CriterionChecks[0].Places = nil
	body := Render(in).Body.String()
	i := strings.Index(body, "| met |")
	row, _, _ := strings.Cut(body[i:], "\n")
	cells := 0
	for at := range row {
		if row[at] == '|' && (at == 0 || row[at-1] != '\\') {
			cells++
		}
	}
	testkit.Equal(t, "bars of "+row, cells, 4)
}

// A restricted ticket is shown by its key, without an address. A ticket that could not be read says so.
// Criteria that code cannot meet are not counted.
func TestTicketsWithoutCriteria(t *testing.T) {
	t.Parallel()
	in := withCriteria(2)
	in.Result.CriterionChecks[1].Verdict = domain.CriterionNotApplicable
	in.Result.Tickets = append(in.Result.Tickets,
		criteria.Ticket{Key: "SEC-1", URL: "https://tracker.example/SEC-1", KeyOnly: true, Title: "secret"},
		criteria.Ticket{Key: "OPS-1", URL: "https://tracker.example/OPS-1", Unread: "The tracker does not answer."},
		criteria.Ticket{Key: "OPS-2", URL: "https://tracker.example/OPS-2"})
	body := Render(in).Body.String()
	for _, want := range []string{": 1 of 1 met**", "The change names `SEC-1`; nothing else of it is read or shown here.", "could not be read: The tracker does not answer.", "no acceptance criteria were found."} {
		if !strings.Contains(body, want) {
			t.Errorf("without %q:\n%s", want, body)
		}
	}
	if strings.Contains(body, "tracker.example/SEC-1") || strings.Contains(body, "secret") {
		t.Error("more than the key is shown")
	}
}
