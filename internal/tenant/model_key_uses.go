package tenant

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// useChoice is the use of a key that repositories may choose.
const useChoice = "choice"

// LlmKeyUse is a place in a model policy that names a model key.
type LlmKeyUse struct {
	Use          string `json:"use" enum:"fast,standard,strong,panel,embeddings,choice" doc:"The tier; choice: repositories may choose the key"`
	RepositoryID string `json:"repositoryId,omitempty" doc:"Absent in the tenant's policy"`
	Repository   string `json:"repository,omitempty" doc:"Its owner/name"`
}

// words describes the use for people.
func (u LlmKeyUse) words() string {
	place := "the tenant's model policy"
	if u.RepositoryID != "" {
		place = "the model policy of the repository " + u.RepositoryID + " " + u.Repository
	}
	if u.Use == useChoice {
		return "repositoryCredentialIds of " + place
	}
	return "tier " + u.Use + " of " + place
}

// usesOf lists the uses of a model key in policies.
func usesOf(stored storedPolicies, id string) []LlmKeyUse {
	out := usesIn(stored.tenant, id, repositoryPolicy{})
	for _, r := range stored.repositories {
		out = append(out, usesIn(r.policy, id, r)...)
	}
	return out
}

func usesIn(p domain.ModelPolicy, id string, place repositoryPolicy) (out []LlmKeyUse) {
	for _, tier := range slices.Sorted(maps.Keys(p.Tiers)) {
		if p.Tiers[tier].CredentialID == id {
			out = append(out, LlmKeyUse{tier, place.id, place.name})
		}
	}
	if slices.Contains(p.RepositoryCredentialIDs, id) {
		out = append(out, LlmKeyUse{useChoice, place.id, place.name})
	}
	return out
}

// usesShown is how many uses an answer names, because each repository can have several.
const usesShown = 10

// keyInUse is the error for deleting a key that is in use.
func keyInUse(uses []LlmKeyUse) error {
	more := ""
	if n := len(uses) - usesShown; n > 0 {
		more, uses = fmt.Sprintf(", and %d more", n), uses[:usesShown]
	}
	var places []string
	for _, u := range uses {
		places = append(places, u.words())
	}
	return errs.New(errs.Conflict, "in_use", "The model key is in use by %s%s. Choose another key there first.",
		strings.Join(places, ", "), more)
}

// addUses adds the uses in policies to a shown key.
func (c *LlmCredential) addUses(stored storedPolicies) {
	uses := usesOf(stored, c.ID)
	c.Uses, c.UsedBy = len(uses), append([]LlmKeyUse{}, uses[:min(len(uses), usesShown)]...)
}
