package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/store"
)

var rulesIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		v.rule = must2(s.CreateRule(bg, v.Tenant, store.Rule{Repository: v.Repository.ID, Title: "Wrap errors", Paths: "[]", Languages: "[]", Severity: "low"}))(t)
	},
	foreign: func(v victim) map[string][]any {
		evil := v.rule
		evil.Title = "evil"
		return map[string][]any{
			"CreateRule": {store.Rule{Repository: v.Repository.ID, Title: "evil"}},
			"Rule":       {v.Repository.ID, v.rule.ID},
			"Rules":      {v.Repository.ID, store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"UpdateRule": {evil},
			"DeleteRule": {v.Repository.ID, v.rule.ID},
		}
	},
}
