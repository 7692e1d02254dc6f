package policy

import (
	"encoding/json"
	"fmt"
	"strings"
)

// mandatoryEverywhere says why a repository's file cannot set paths, as the rest of a sentence.
const mandatoryEverywhere = "is refused, because a mandatory rule without paths holds in every file of the policy; " +
	"give the rule paths, or set paths in the policy"

// mandatoryPaths reads [store.PolicySources.MandatoryPaths]. everywhere is true if a rule has no paths.
func mandatoryPaths(stored string) (patterns []string, everywhere bool, err error) {
	var rules [][]string
	if err := json.Unmarshal([]byte("["+stored+"]"), &rules); err != nil {
		return nil, false, fmt.Errorf("the stored paths of the rules cannot be read: %w", err)
	}
	for _, paths := range rules {
		everywhere = everywhere || len(paths) == 0
		patterns = append(patterns, paths...)
	}
	return patterns, everywhere, nil
}

// valuesOf returns the values of the settings with a prefix, by name.
func valuesOf(settings []Setting, prefix string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, s := range settings {
		if strings.HasPrefix(s.Name, prefix) {
			out[s.Name] = s.Value
		}
	}
	return out
}
