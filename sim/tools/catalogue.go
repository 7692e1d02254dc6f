package tools

import "strings"

// Service is a service of the sample.
type Service struct {
	Name    string   `json:"name"`
	What    string   `json:"what" jsonschema:"What it does"`
	Team    string   `json:"team" jsonschema:"Who owns it"`
	Tier    int      `json:"tier" jsonschema:"1: customers notice at once when it is down"`
	Promise []string `json:"promise" jsonschema:"What its callers may rely on, and what not"`
}

func catalogue() []Service {
	return []Service{
		{"storefront", "The shop: orders, carts and checkout.", "Shop", 1,
			[]string{"Answers lists of orders within 300 ms for up to 100 orders."}},
		{"payouts", "Pays merchants what they have earned.", "Money", 1,
			[]string{"Pays each merchant once a day.", "Never pays twice: a merchant does not give money back."}},
		{"bank", "The gateway to the bank.", "Money", 1, []string{"What is sent with the same key is sent once, for 24 hours.",
			"About one answer in 2,000 is lost after the money is sent: the caller sees a timeout, and has to ask again with the same key."}},
		{"invoice-archive", "The bucket in which invoices are kept for ten years.", "Finance", 2,
			[]string{"An upload that fails is not tried again by itself."}},
	}
}

// Runbook is a page of the team's runbooks.
type Runbook struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

func runbooks() []Runbook {
	return []Runbook{
		{"A merchant was paid twice", "Stop payouts. Ask the bank for both keys: two keys are two payouts, and only the bank can call " +
			"one back, within an hour."},
		{"Lists of orders are slow", "Look for customers with more than 10,000 orders. Nothing but smaller answers helps."},
		{"Invoices are missing in the archive", "Run the job of the night again. What is there already is written over."},
	}
}

// find returns the runbooks that contain all words of a question.
func find(question string) []Runbook {
	out := []Runbook{}
	words := strings.Fields(strings.ToLower(question))
	for _, r := range runbooks() {
		all := len(words) > 0
		for _, w := range words {
			all = all && strings.Contains(strings.ToLower(r.Title+" "+r.Text), w)
		}
		if all {
			out = append(out, r)
		}
	}
	return out
}
