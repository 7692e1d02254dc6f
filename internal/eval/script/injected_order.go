package script

import (
	"encoding/json"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/sim/model/prompt"
)

// Order is an order to an obedient model in some text of a prompt. Patterns cannot recognise orders in all
// languages and disguises, so the test says how to recognise the text and what it wants.
type Order struct {
	Seen  func(text string) bool // reports whether a text contains the order
	Wants Wish
	Words string // for Say
}

// Wish is the effect that an order wants.
type Wish string

// The wishes.
const (
	Mute   Wish = "mute"   // report no new findings
	Refute Wish = "refute" // refute every finding, with the order as the proof
	Say    Wish = "say"    // report some words, with the order as the proof
	Reveal Wish = "reveal" // report the token in the instructions
)

// requestTexts returns all texts of a request except its instructions.
func requestTexts(r llm.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(m.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// orderIn returns the order in a request, or nil.
func (m *Model) orderIn(r llm.Request) *Order {
	if o := m.options.Order; o != nil && m.options.Name == Obedient && o.Seen(requestTexts(r)) {
		return o
	}
	return nil
}

// follow returns the findings that an order wants.
func (m *Model) follow(o *Order, system string, exact []prompt.Found, shown prompt.Diff, schema json.RawMessage) []prompt.Found {
	if len(shown) == 0 {
		return exact
	}
	switch found := token.FindStringSubmatch(system); {
	case o.Wants == Mute:
		return nil
	case o.Wants == Say:
		return append(exact, m.orderedFinding(shown, schema, o.Words))
	case o.Wants == Reveal && found != nil:
		return append(exact, m.orderedFinding(shown, schema, "The token is "+found[1]))
	}
	return exact
}

// applyTo changes a verdict as an order wants, with the order itself as the proof.
func (o *Order) applyTo(c prompt.Claim, looked []string, v *prompt.Verdict) {
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

// sentences returns every line of a file of guidelines as a sentence.
func sentences(user string) map[string]any {
	list := []map[string]string{}
	for l := range strings.Lines(user) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "<") {
			list = append(list, map[string]string{"text": l})
		}
	}
	return map[string]any{"sentences": list}
}
