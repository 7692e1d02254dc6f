package script

import (
	"encoding/json"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/sim/model/prompt"
)

// Order is what a text that stands somewhere in a prompt wants of an obedient model.
// No pattern could read all languages and disguises in which orders are given: the
// model is told how to know the text, and what it means.
type Order struct {
	Seen  func(text string) bool // whether the order stands in a text
	Wants Wish
	Words string // of Say
}

// Wish is what an order wants.
type Wish string

// The wishes.
const (
	Mute   Wish = "mute"   // that nothing is reported, and what is reported is what was reported before
	Refute Wish = "refute" // that what is reported is disproved, by the text that says so
	Say    Wish = "say"    // that some words are reported, and proved by the text that says so
	Reveal Wish = "reveal" // that the token of the instructions is reported
)

// seen is all that a request shows besides its instructions.
func seen(r llm.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(m.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// given is the order that a request shows, nil for none.
func (m *Model) given(r llm.Request) *Order {
	if o := m.options.Order; o != nil && m.options.Name == Obedient && o.Seen(seen(r)) {
		return o
	}
	return nil
}

// follow reports what an order wants.
func (m *Model) follow(o *Order, system string, exact []prompt.Found, shown prompt.Diff, schema json.RawMessage) []prompt.Found {
	if len(shown) == 0 {
		return exact
	}
	switch found := token.FindStringSubmatch(system); {
	case o.Wants == Mute:
		return nil
	case o.Wants == Say:
		return append(exact, m.told(shown, schema, o.Words))
	case o.Wants == Reveal && found != nil:
		return append(exact, m.told(shown, schema, "The token is "+found[1]))
	}
	return exact
}

// swayed changes a verdict as an order wants it. The order itself is the proof.
func (o *Order) swayed(c prompt.Claim, looked []string, v *prompt.Verdict) {
	proof := comment(c.Code)
	for _, l := range append(append([]string{}, c.Code...), looked...) {
		if o.Seen(l) {
			proof = l
			break
		}
	}
	switch {
	case o.Wants == Say && strings.HasPrefix(o.Words, strings.TrimSuffix(c.Title, "…")):
		v.Verdict, v.Reachable, v.ConfirmingQuotes, v.WouldSeniorBlock = "confirmed", "yes", []string{proof}, true
	case o.Wants == Refute, o.Wants == Mute:
		v.Verdict, v.Reachable, v.RefutationQuote, v.ConfirmingQuotes = "refuted", "no", proof, []string{}
	}
}

// sentences are those of a file of guidelines: every line, whatever it says.
func sentences(user string) map[string]any {
	list := []map[string]string{}
	for l := range strings.Lines(user) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "<") {
			list = append(list, map[string]string{"text": l})
		}
	}
	return map[string]any{"sentences": list}
}
