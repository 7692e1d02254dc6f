package instance

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/store"
)

// ProductTelemetryUpdate switches the product's telemetry on or off.
type ProductTelemetryUpdate struct {
	Enabled bool `json:"enabled"`
}

// ProductTelemetry is the state of telemetry and a preview of its data.
type ProductTelemetry struct {
	Enabled   bool             `json:"enabled" audit:"track"`
	Sends     bool             `json:"sends" audit:"ignore" doc:"Whether anything is sent. False in this version: there is nowhere to send it to, whatever enabled says"`
	Preview   TelemetryPreview `json:"preview" audit:"ignore" doc:"Exactly what would be sent"`
	Version   int64            `json:"version" audit:"ignore"`
	UpdatedAt *time.Time       `json:"updatedAt,omitempty" audit:"ignore"`
}

// TelemetryPreview is all data that telemetry would send: counts without names, addresses or content.
type TelemetryPreview struct {
	Version       string `json:"version"`
	Edition       string `json:"edition"`
	Database      string `json:"database"`
	Tenants       int64  `json:"tenants"`
	Users         int64  `json:"users"`
	Repositories  int64  `json:"repositories"`
	RunsLast30Day int64  `json:"runsLast30Days"`
}

type storedTelemetry struct {
	Enabled bool `json:"enabled"`
}

func (s *Service) telemetry(ctx context.Context, doc store.Document) (ProductTelemetry, error) {
	f, err := s.Store.SetupFacts(ctx)
	return ProductTelemetry{Enabled: store.FromJSON[storedTelemetry](doc.Body).Enabled, Version: doc.Version,
		UpdatedAt: store.TimeOrNil(doc.UpdatedUS),
		Preview:   TelemetryPreview{s.Version, s.Process.Edition, s.Store.Engine(), f.Tenants, f.Users, f.Repositories, f.RunsOfMonth}}, err
}

// Telemetry returns the setting. Telemetry is off until an admin switches it on.
func (s *Service) Telemetry(ctx context.Context) (ProductTelemetry, error) {
	doc, err := s.Store.InstanceDocument(ctx, store.DocumentTelemetry)
	if err != nil {
		return ProductTelemetry{}, err
	}
	return s.telemetry(ctx, doc)
}

// UpdateTelemetry changes the setting. version 0 means any version.
func (s *Service) UpdateTelemetry(ctx context.Context, version int64, in ProductTelemetryUpdate) (ProductTelemetry, error) {
	var after ProductTelemetry
	err := s.replace(ctx, store.DocumentTelemetry, version, storedTelemetry(in),
		func(ctx context.Context, before, now store.Document) (act audit.Act, err error) {
			act = audit.Act{Action: "telemetry.update", Target: audit.Target{Kind: "telemetry", ID: "telemetry"}}
			if act.Before, err = s.telemetry(ctx, before); err != nil {
				return act, err
			}
			after, err = s.telemetry(ctx, now)
			act.After = after
			return act, err
		})
	return after, err
}

// replace stores a document and records the act, in one transaction.
func (s *Service) replace(ctx context.Context, kind string, version int64, body any,
	act func(ctx context.Context, before, now store.Document) (audit.Act, error)) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		before, err := s.Store.InstanceDocument(ctx, kind)
		if err != nil {
			return audit.Act{}, err
		}
		if !versionFits(version, before.Version) {
			return audit.Act{}, errs.Changed()
		}
		now, err := s.Store.PutInstanceDocument(ctx, kind, store.JSON(body), before.Version)
		if errs.Is(err, errs.NotFound) {
			err = errs.Changed()
		}
		if err != nil {
			return audit.Act{}, err
		}
		return act(ctx, before, now)
	})
}

// LegalSignOffUpdate records or withdraws an authorised person's agreement to the use of data about people
// for suggesting reviewers.
type LegalSignOffUpdate struct {
	SignedOff         bool     `json:"signedOff" doc:"False withdraws it; then the rest must be absent" example:"true"`
	DocumentReference string   `json:"documentReference,omitempty" maxLength:"500" doc:"Where the agreement is kept; needed to sign off" example:"Works agreement 2026-04, section 3"`
	Statement         string   `json:"statement,omitempty" maxLength:"4000"`
	DataUses          []string `json:"dataUses,omitempty" maxItems:"20" doc:"What data may be used for; at least one to sign off" example:"[\"reviewer suggestions\"]"`
}

// LegalSignOff is the sign-off in effect.
type LegalSignOff struct {
	SignedOff         bool       `json:"signedOff" audit:"track"`
	DocumentReference string     `json:"documentReference,omitempty" audit:"track"`
	Statement         string     `json:"statement,omitempty" audit:"track"`
	DataUses          []string   `json:"dataUses" audit:"track"`
	By                string     `json:"by,omitempty" audit:"track" doc:"Who signed off or withdrew it last"`
	ByUserID          string     `json:"byUserId,omitempty" audit:"track"`
	At                *time.Time `json:"at,omitempty" audit:"ignore" doc:"When"`
	Version           int64      `json:"version" audit:"ignore"`
}

func signOff(doc store.Document) LegalSignOff {
	out := store.FromJSON[LegalSignOff](doc.Body)
	out.DataUses = append([]string{}, out.DataUses...)
	out.Version, out.At = doc.Version, store.TimeOrNil(doc.UpdatedUS)
	return out
}

// LegalSignOff returns the sign-off; its zero value until a person signs off.
func (s *Service) LegalSignOff(ctx context.Context) (LegalSignOff, error) {
	doc, err := s.Store.InstanceDocument(ctx, store.DocumentLegal)
	return signOff(doc), err
}

// UpdateLegalSignOff records or withdraws the sign-off in the name of the acting person. version 0 means
// any version.
func (s *Service) UpdateLegalSignOff(ctx context.Context, version int64, in LegalSignOffUpdate) (LegalSignOff, error) {
	var c field.Check
	c.Line("/documentReference", in.DocumentReference)
	c.Text("/statement", in.Statement)
	for i, use := range in.DataUses {
		c.Name(field.At("/dataUses", i), use)
		c.That(len(use) <= 200, field.At("/dataUses", i), "must have at most 200 bytes")
	}
	c.Distinct("/dataUses", in.DataUses)
	if in.SignedOff {
		c.That(in.DocumentReference != "", "/documentReference", "must say where the agreement is kept")
		c.That(len(in.DataUses) > 0, "/dataUses", "must name what data may be used for")
	} else {
		c.That(in.DocumentReference == "" && in.Statement == "" && len(in.DataUses) == 0, "/signedOff",
			"must be true where the other fields are given; false withdraws everything")
	}
	if err := c.Err(); err != nil {
		return LegalSignOff{}, err
	}
	who := audit.By(ctx)
	next := LegalSignOff{SignedOff: in.SignedOff, DocumentReference: in.DocumentReference, Statement: in.Statement,
		DataUses: in.DataUses, By: who.Name, ByUserID: who.UserID}
	var after LegalSignOff
	err := s.replace(ctx, store.DocumentLegal, version, next, func(_ context.Context, before, now store.Document) (audit.Act, error) {
		after = signOff(now)
		return audit.Act{Action: "legal-sign-off.update", Target: audit.Target{Kind: "legal-sign-off", ID: "legal-sign-off"},
			Before: signOff(before), After: after}, nil
	})
	return after, err
}
