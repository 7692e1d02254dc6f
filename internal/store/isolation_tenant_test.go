package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
)

// related are the victim's links between repositories.
type related struct {
	second        store.Repository
	link, pattern string
}

var tenantIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		v.second = storetest.Repository(t, s, v.Tenant, v.Installation)
		v.link = must2(s.CreateLink(bg, v.Tenant, store.RepositoryLink{Repository: v.Repository.ID, Linked: v.second.ID, Kind: "consumer"}))(t)
		v.pattern = must2(s.CreatePattern(bg, v.Tenant, store.PatternRepository{Repository: v.second.ID, Paths: "[]"}))(t)
	},
	foreign: func(v victim) map[string][]any {
		return map[string][]any{
			"Document":         {v.Repository.ID, store.SettingPolicy},
			"PolicySources":    {v.Repository.ID},
			"SetIntake":        {v.Repository.ID, domain.IntakeOff},
			"PutSettingAt":     {v.Repository.ID, store.SettingPolicy, `{"evil":1}`, int64(1)},
			"CreateLink":       {store.RepositoryLink{Repository: v.Repository.ID, Linked: v.second.ID, Kind: "related"}},
			"Link":             {v.Repository.ID, v.link},
			"Links":            {v.Repository.ID, store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"DeleteLink":       {v.Repository.ID, v.link},
			"CreatePattern":    {store.PatternRepository{Repository: v.Repository.ID, Paths: "[]"}},
			"Pattern":          {v.pattern},
			"Patterns":         {store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"DeletePattern":    {v.pattern},
			"RepositoriesPage": {store.RepositoryFilter{Limit: 10}},
			"HostOf":           {v.Repository.ID},
		}
	},
	ownRows: map[string]string{
		"TenantInstallations": "it lists those that were given to the caller",
		"MembersPage":         "people belong to the instance; it lists those of the caller",
		"KnownPerson":         "it refuses people the caller has no connection with; TestPeopleKnownToATenant",
		"ReadTenant":          "the row is the caller's own",
		"RenameTenant":        "the row is the caller's own",
	},
}
