package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
)

// Calibration says how often findings of a category were taken or refused.
type Calibration struct {
	Category  string  `json:"category"`
	Taken     int64   `json:"taken" jsonschema:"Findings that were fixed, applied or got thumbs up"`
	Refused   int64   `json:"refused" jsonschema:"Findings that were dismissed or got thumbs down"`
	Ignored   int64   `json:"ignored" jsonschema:"Findings that were only ignored at merge"`
	Threshold float64 `json:"threshold,omitempty" jsonschema:"Confidence that a Medium finding needs; absent: no threshold"`
	Implied   float64 `json:"impliedThreshold,omitempty" jsonschema:"The threshold that the counts imply; absent with too few"`
	Held      string  `json:"held,omitempty" jsonschema:"Why the threshold is not the implied one: outcomes, people or week"`
}

// Calibrations lists the calibrations of a repository.
type Calibrations struct {
	Items []Calibration `json:"items"`
}

// CalibrationsWanted is the input of list_calibration.
type CalibrationsWanted struct{ Place }

// maxCalibrations bounds the categories that are listed. There are fewer.
const maxCalibrations = 50

func calibrationOf(v store.Calibration) Calibration {
	out := Calibration{Category: v.Category, Taken: v.Taken, Refused: v.Refused, Ignored: v.Ignored, Held: v.Held}
	if !domain.Category(v.Category).HasThreshold() {
		return out
	}
	out.Threshold, out.Implied = domain.MediumConfidence, float64(v.ImpliedPPM)/1e6
	if v.ThresholdPPM != 0 {
		out.Threshold = float64(v.ThresholdPPM) / 1e6
	}
	return out
}

// markdown returns a calibration as one line.
func (c Calibration) markdown() string {
	line := fmt.Sprintf("%s: %d taken, %d refused, %d ignored", c.Category, c.Taken, c.Refused, c.Ignored)
	if c.Threshold > 0 {
		line += fmt.Sprintf("; comments need a confidence of %.2f", c.Threshold)
	}
	return line + ".\n"
}

func listCalibration(ctx context.Context, v *visit, in CalibrationsWanted) (Calibrations, string, error) {
	out := Calibrations{Items: []Calibration{}}
	at, err := v.repository(ctx, in.Repository, perm.RepoView, false)
	if err != nil {
		return out, "", err
	}
	rows, err := v.Store.Calibrations(ctx, v.Tenant, at.ID, store.Cursor{}, maxCalibrations)
	if err != nil {
		return out, "", err
	}
	var b strings.Builder
	for _, r := range rows {
		out.Items = append(out.Items, calibrationOf(r))
		b.WriteString(out.Items[len(out.Items)-1].markdown())
	}
	text := pluralize(len(rows), "category with findings that people took or refused.", "categories with such findings.")
	if len(rows) > 0 {
		text += "\n" + fenced(b.String())
	}
	return out, text, nil
}
