package domain

import "strings"

// AnalyserPrefix begins the rule ids of findings of static analysers: "sast/<analyser>/<rule>". Other checks do not use it, so that a
// document of an analyser cannot name a rule of another check.
const AnalyserPrefix = "sast/"

// AnalyserOf returns the analyser's name in a rule id. It returns false if the rule is not one of an analyser.
func AnalyserOf(ruleID string) (string, bool) {
	rest, ok := strings.CutPrefix(ruleID, AnalyserPrefix)
	name, _, found := strings.Cut(rest, "/")
	return name, ok && found
}
