package model

import (
	"encoding/json"
	"regexp"
	"slices"
)

// pairOfReports is a pair in a prompt: "=== pair <id> at <path>", "earlier: <title>", and further on "now: <title>".
var pairOfReports = regexp.MustCompile(`(?m)^=== pair (\S+) at .*\nearlier: (.*)(?s:.*?)^now: (.*)$`)

type sameAnswer struct {
	Pair string `json:"pair"`
	Same bool   `json:"same"`
}

// samePairs answers the pairs of a request.
func samePairs(q *request, s Same) (json.RawMessage, error) {
	out := []sameAnswer{}
	for _, m := range pairOfReports.FindAllStringSubmatch(q.user, -1) {
		out = append(out, sameAnswer{m[1], slices.ContainsFunc(s.Titles, func(of []string) bool { return slices.Contains(of, m[2]) && slices.Contains(of, m[3]) })})
	}
	return plainJSON(map[string]any{"pairs": out})
}
