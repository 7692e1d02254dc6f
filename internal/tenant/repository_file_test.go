package tenant_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The file that a review has read is in force and shown while the policy reads it. Nothing of it remains when the policy ignores
// it, when narrow refuses it. Another tenant cannot store a file for the repository.
func TestARepositoryFileIsInForceWhileThePolicyReadsIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		file := store.JSON(policy.File{Commit: "c0ffee", Present: true,
			Values: []policy.FileValue{{Name: "profile", Value: []byte(`"assertive"`)}, {Name: "publishMode", Value: []byte(`"silent"`)}},
			Rules:  []policy.FileRule{{Kind: policy.FileRules, ID: "fil_1", Title: "No sleep", Instruction: "Never sleep.", Severity: "low"}}})
		testkit.OK(t, s.PutSetting(bg, w.Tenant, w.Repository.ID, store.SettingFile, file))
		if err := s.PutSetting(bg, domain.Tenant{ID: "ten_other"}, w.Repository.ID, store.SettingFile, file); err == nil {
			t.Error("another tenant stored a file for the repository")
		}
		for _, mode := range []string{"full", "narrow", "full", "ignore"} {
			testkit.OK(t, say(t, w, w.Repository.ID, `{"repositoryFile":"`+mode+`"}`))
			inForce := mode == "full"
			all := settings(t, w)
			got := all["profile"]
			if (got.Origin == "file") != inForce || (got.Value == "assertive") != inForce || (got.Commit == "c0ffee") != inForce {
				t.Errorf("%s: %+v", mode, got)
			}
			testkit.Equal(t, "what the file must not set", all["publishMode"].Value, any("auto"))
			rules, _, err := w.Features.Tenant.EffectiveRules(bg, w.Tenant, w.Repository.ID)
			testkit.OK(t, err)
			if (len(rules) == 1) != inForce || inForce && (rules[0].Origin != "file" || rules[0].Commit != "c0ffee" || !rules[0].ReadOnly) {
				t.Errorf("%s: %+v", mode, rules)
			}
		}
	})
}
