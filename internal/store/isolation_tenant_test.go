package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/store"
)

var tenantIsolation = nounTest{
	seed: func(testing.TB, *store.Store, *victim) {},
	foreign: func(v victim) map[string][]any {
		return map[string][]any{
			"Document":          {v.Repository.ID, store.SettingPolicy},
			"KnownRepositories": {v.Installation.ID},
			"PolicySources":     {v.Repository.ID},
			"SetIntake":         {v.Repository.ID, store.IntakeOff},
			"PutSettingAt":      {v.Repository.ID, store.SettingPolicy, `{"evil":1}`, int64(1)},
		}
	},
	ownRows: map[string]string{
		"ReadTenant":   "the row is the caller's own",
		"RenameTenant": "the row is the caller's own",
	},
}
