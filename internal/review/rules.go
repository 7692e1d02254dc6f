package review

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/match"
	"github.com/assay-dev/assay/internal/store"
)

// engineRules converts the rules that are applied.
func engineRules(all []policy.Rule) ([]engine.Rule, error) {
	var out []engine.Rule
	for _, r := range all {
		if r.Inactive != "" {
			continue
		}
		rule, err := EngineRule(r.Rule)
		if err != nil {
			return nil, err
		}
		out = append(out, rule)
	}
	return out, nil
}

// EngineRule converts a rule for the engine, whether it is applied or not.
func EngineRule(r store.Rule) (engine.Rule, error) {
	rule := engine.Rule{ID: r.ID, Title: r.Title, Instruction: r.Instruction, Mandatory: r.Mandatory}
	rule.Severity, _ = domain.ParseSeverity(r.Severity)
	if err := json.Unmarshal([]byte(r.Paths), &rule.Paths); err != nil {
		return engine.Rule{}, fmt.Errorf("the paths of rule %s cannot be read: %w", r.ID, err)
	}
	if err := json.Unmarshal([]byte(r.Languages), &rule.Languages); err != nil {
		return engine.Rule{}, fmt.Errorf("the languages of rule %s cannot be read: %w", r.ID, err)
	}
	for i, l := range rule.Languages {
		rule.Languages[i] = strings.ToLower(l)
	}
	if r.Matcher != "" {
		rule.Matcher = &match.Spec{}
		if err := json.Unmarshal([]byte(r.Matcher), rule.Matcher); err != nil {
			return engine.Rule{}, fmt.Errorf("the matcher of rule %s cannot be read: %w", r.ID, err)
		}
	}
	return rule, nil
}
