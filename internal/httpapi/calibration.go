package httpapi

import (
	"time"

	"github.com/assay-dev/assay/internal/calibrate"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/stats"
	"github.com/assay-dev/assay/internal/store"
)

// Share is a share of findings with its 95 % interval.
type Share struct {
	Share float64 `json:"share" doc:"taken / (taken + refused)" example:"0.7"`
	Low   float64 `json:"low" doc:"Lower bound of the 95 % interval (Wilson)" example:"0.56"`
	High  float64 `json:"high" doc:"Upper bound" example:"0.81"`
}

// shareOf returns the share of taken findings; nil if none is taken or refused.
func shareOf(taken, refused int64) *Share {
	n := float64(taken + refused)
	if n == 0 {
		return nil
	}
	low, high := stats.Wilson(float64(taken), n)
	return &Share{Share: float64(taken) / n, Low: low, High: high}
}

// CalibrationBucket counts findings of a range of confidence.
type CalibrationBucket struct {
	From    float64 `json:"from" doc:"Inclusive" example:"0.7"`
	To      float64 `json:"to" doc:"Exclusive, but 1 is inclusive" example:"0.75"`
	Taken   int64   `json:"taken"`
	Refused int64   `json:"refused"`
	Ignored int64   `json:"ignored"`
	Share   *Share  `json:"share,omitempty" doc:"Absent if none is taken or refused"`
}

// Calibration counts how often findings of a category were taken or refused, over the last 180 days.
type Calibration struct {
	ID        string              `json:"id"`
	Category  string              `json:"category"`
	Taken     int64               `json:"taken" doc:"Findings whose outcomes speak for them: fixed, suggestion applied, thumbs up"`
	Refused   int64               `json:"refused" doc:"Findings whose outcomes speak against them: dismissed, thumbs down"`
	Ignored   int64               `json:"ignored" doc:"Findings that were only ignored at merge; not in the share"`
	Share     *Share              `json:"share,omitempty" doc:"Absent if none is taken or refused"`
	Missing   int64               `json:"missing" doc:"Findings with an outcome that are missing until the threshold moves" example:"12"`
	Implied   *float64            `json:"impliedThreshold" doc:"null: not enough findings, or no threshold" example:"0.8"`
	Threshold *float64            `json:"threshold" doc:"Confidence that a Medium finding needs; null: no threshold" example:"0.8"`
	Since     *time.Time          `json:"since,omitempty" doc:"When the threshold moved last; absent if it never did"`
	Held      string              `json:"held" enum:",outcomes,people,week" doc:"Why it is not the implied one"`
	Buckets   []CalibrationBucket `json:"buckets" doc:"By confidence, without empty ones"`
	CreatedAt time.Time           `json:"createdAt"`
	UpdatedAt *time.Time          `json:"updatedAt,omitempty" doc:"When the outcomes were counted last"`
}

func calibration(v store.Calibration) Calibration {
	out := Calibration{ID: v.ID, Category: v.Category, Taken: v.Taken, Refused: v.Refused, Ignored: v.Ignored,
		Share: shareOf(v.Taken, v.Refused), Buckets: []CalibrationBucket{}, Held: v.Held, Since: store.TimeOrNil(v.MovedUS),
		CreatedAt: store.Time(v.CreatedUS), UpdatedAt: store.TimeOrNil(v.UpdatedUS)}
	for _, b := range storedList[domain.CalibrationBucket](v.Buckets) {
		out.Buckets = append(out.Buckets, CalibrationBucket{From: micros(b.FromPPM), To: micros(b.ToPPM), Taken: b.Taken, Refused: b.Refused,
			Ignored: b.Ignored, Share: shareOf(b.Taken, b.Refused)})
	}
	if !domain.Category(v.Category).HasThreshold() {
		return out
	}
	out.Missing = max(calibrate.LeastOutcomes-v.Taken-v.Refused, 0)
	out.Threshold = new(domain.MediumConfidence)
	if v.ThresholdPPM != 0 {
		out.Threshold = new(micros(v.ThresholdPPM))
	}
	if v.ImpliedPPM != 0 {
		out.Implied = new(micros(v.ImpliedPPM))
	}
	return out
}
