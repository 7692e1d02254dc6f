package model

import (
	"encoding/json"
	"slices"

	"github.com/assay-dev/assay/sim/model/prompt"
)

// samePairs answers the pairs of a request.
func samePairs(q *request, s Same) (json.RawMessage, error) {
	var out []prompt.Same
	for _, p := range prompt.ReadPairs(q.user) {
		out = append(out, prompt.Same{Pair: p.ID, Same: slices.ContainsFunc(s.Titles,
			func(of []string) bool { return slices.Contains(of, p.Earlier) && slices.Contains(of, p.Now) })})
	}
	return plainJSON(prompt.Pairs(out))
}
