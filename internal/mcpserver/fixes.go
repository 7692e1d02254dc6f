package mcpserver

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/fix/fixrun"
	"github.com/assay-dev/assay/internal/perm"
)

// FixWanted is the input of fix_finding.
type FixWanted struct {
	Place
	Finding  string `json:"finding" jsonschema:"Id of an open finding, from list_findings or get_review"`
	Delivery string `json:"delivery,omitempty" jsonschema:"How the edit is delivered; absent: as the policy of the repository says"`
}

// FixBegun is the output of fix_finding.
type FixBegun struct {
	FixRun string `json:"fixRun" jsonschema:"Id of the fix run, for its page in the console"`
	State  string `json:"state"`
}

// fixEnums adds the deliveries to the input schema.
func fixEnums(s *jsonschema.Schema) {
	s.Properties["delivery"].Enum = []any{"suggestions", "branch", "commit"}
}

func fixFinding(ctx context.Context, v *visit, in FixWanted) (FixBegun, string, error) {
	at, err := v.repository(ctx, in.Repository, perm.RepoManage, true)
	if err == nil {
		err = checkID(in.Finding)
	}
	if err != nil {
		return FixBegun{}, "", err
	}
	if v.Fixes == nil {
		return FixBegun{}, "", errs.New(errs.Unavailable, "unavailable", "This process cannot start fix runs.")
	}
	row, err := v.Store.Finding(ctx, v.Tenant, at.ID, in.Finding)
	if err != nil {
		return FixBegun{}, "", err
	}
	run, err := v.run(ctx, at, row.LastRun)
	if err != nil {
		return FixBegun{}, "", err
	}
	made, err := v.Fixes.Create(ctx, v.Tenant, at, run, fixrun.ReviewFixRequest{FindingIDs: []string{row.ID},
		Delivery: domain.FixDelivery(in.Delivery)})
	if err != nil {
		return FixBegun{}, "", err
	}
	return FixBegun{made.ID, string(made.State)}, fmt.Sprintf("The fix run %s has begun. Its comment in the thread of the finding, and "+
		"its page, say what came of it.", made.ID), nil
}
