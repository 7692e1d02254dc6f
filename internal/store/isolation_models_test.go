package store_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

var modelsIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		row := store.Credential{ID: domain.NewID("crd"), Name: "second", Kind: "bedrock", Region: "eu-west-1", APIKey: []byte("sealed")}
		v.credential = must2(s.CreateCredential(bg, v.Tenant, row))(t)
		testkit.OK(t, s.BlockCredential(bg, v.Tenant, v.credential.ID, time.Minute))
		testkit.OK(t, s.KeepRefusals(bg, v.Tenant, v.credential.ID, v.credential.Version, "m", []string{"temperature"}, time.Hour))
		testkit.OK(t, s.PutSetting(bg, v.Tenant, "", store.SettingModelPolicy, `{"tiers":{}}`))
	},
	foreign: func(v victim) map[string][]any {
		evil := v.credential
		evil.Name = "evil"
		return map[string][]any{
			"UpdateCredential":   {evil, true},
			"HoldCredential":     {v.credential.ID},
			"CredentialPage":     {store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"DeleteCredential":   {v.credential.ID},
			"BlockCredential":    {v.credential.ID, time.Hour},
			"CredentialBlock":    {v.credential.ID},
			"CredentialRefusals": {v.credential.ID, "m"},
			"KeepRefusals":       {v.credential.ID, v.credential.Version, "m", []string{"evil"}, time.Hour},
			"ForgetRefusals":     {v.credential.ID},
			"SettingDocuments":   {store.SettingModelPolicy},
		}
	},
	ownRows: map[string]string{"CreateCredential": "the key is the caller's; it names no row of another tenant"},
}
