package model

import (
	"slices"
	"sync"
)

// ruleSet holds the rules and the counts of their matches and answers.
type ruleSet struct {
	mu   sync.Mutex
	list []ruleCount
}

type ruleCount struct {
	Rule
	seen, used int
}

// RuleState is a rule with its counts.
type RuleState struct {
	Rule
	// Seen counts matching requests, Used those that it answered.
	Seen int `json:"seen"`
	Used int `json:"used"`
}

func (rs *ruleSet) replace(rules []Rule) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.list = make([]ruleCount, len(rules))
	for i, r := range rules {
		rs.list[i].Rule = r
	}
}

// add puts rules before the others (front) or after them.
func (rs *ruleSet) add(rules []Rule, front bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	var added []ruleCount
	for _, r := range rules {
		added = append(added, ruleCount{Rule: r})
	}
	if front {
		rs.list = append(added, rs.list...)
		return
	}
	rs.list = append(rs.list, added...)
}

// set replaces the rules with the rule's name by it, or adds it after the others.
func (rs *ruleSet) set(rule Rule) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	named := func(r ruleCount) bool { return r.Name == rule.Name }
	i := slices.IndexFunc(rs.list, named)
	if i < 0 {
		rs.list = append(rs.list, ruleCount{Rule: rule})
		return
	}
	rest := slices.DeleteFunc(rs.list[i+1:], named)
	rs.list = append(append(rs.list[:i:i], ruleCount{Rule: rule}), rest...)
}

// match returns the rule for a request, which it counts, and the number of this answer.
func (rs *ruleSet) match(q *request) (Rule, int, bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for i := range rs.list {
		r := &rs.list[i]
		if !r.Match.matches(q) {
			continue
		}
		r.seen++
		if r.Match.Nth > 0 && r.seen != r.Match.Nth || r.Times > 0 && r.used >= r.Times {
			continue
		}
		r.used++
		return r.Rule, r.used, true
	}
	return Rule{}, 0, false
}

func (rs *ruleSet) states() []RuleState {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	out := make([]RuleState, 0, len(rs.list))
	for _, r := range rs.list {
		out = append(out, RuleState{r.Rule, r.seen, r.used})
	}
	return out
}
