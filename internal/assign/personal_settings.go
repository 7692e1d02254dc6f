package assign

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// KeepAvailability is how long a time of absence is kept after its end: as long as the longest fairness
// window (design choice).
const KeepAvailability = 180 * 24 * time.Hour

// Bounds of times of absence (design choices).
const (
	MaxAvailability     = 50 // times per person that have not ended
	maxAvailabilityDays = 366
)

// WorkingHours are hours of a weekday in the person's time zone.
type WorkingHours struct {
	Day  string `json:"day" enum:"monday,tuesday,wednesday,thursday,friday,saturday,sunday"`
	From string `json:"from" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"HH:MM" example:"09:00"`
	To   string `json:"to" pattern:"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$" doc:"HH:MM, after from; 24:00 is the end of the day" example:"17:30"`
}

// MyAssignmentSettingsUpdate replaces a person's settings in a tenant. The audit log records no hours and
// no time zone, because its readers do not need them.
type MyAssignmentSettingsUpdate struct {
	OptOut         bool           `json:"optOut" doc:"Never suggest this person" audit:"track"`
	MaxOpenReviews *int           `json:"maxOpenReviews,omitempty" minimum:"1" maximum:"100" doc:"No suggestion while so many reviews are open; absent: no bound" audit:"track"`
	TimeZone       string         `json:"timeZone" minLength:"1" maxLength:"64" doc:"Name in the IANA database" example:"Europe/Berlin" audit:"ignore"`
	WorkingHours   []WorkingHours `json:"workingHours,omitempty" maxItems:"28" doc:"None: any hour" audit:"ignore"`
	WantedPaths    []string       `json:"wantedPaths,omitempty" maxItems:"50" doc:"Patterns of paths that the person likes to review" example:"[\"internal/**\"]" audit:"track"`
	UnwantedPaths  []string       `json:"unwantedPaths,omitempty" maxItems:"50" doc:"Patterns of paths that the person does not want to review" example:"[\"web/**\"]" audit:"track"`
}

// MyAssignmentSettings are a person's settings as the API shows them.
type MyAssignmentSettings struct {
	MyAssignmentSettingsUpdate
	NotInEffect []policy.NotInEffect `json:"notInEffect,omitempty" audit:"ignore" doc:"What is stored and changes nothing for now; absent where there is nothing"`

	Version   int64      `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\"; 0 where the defaults hold"`
	UpdatedAt *time.Time `json:"updatedAt,omitempty" audit:"ignore" doc:"Absent where the defaults hold"`
}

func (in MyAssignmentSettingsUpdate) check() error {
	var c field.Check
	c.TimeZone("/timeZone", in.TimeZone)
	c.Globs("/wantedPaths", in.WantedPaths)
	c.Distinct("/wantedPaths", in.WantedPaths)
	c.Globs("/unwantedPaths", in.UnwantedPaths)
	c.Distinct("/unwantedPaths", in.UnwantedPaths)
	for i, p := range in.UnwantedPaths {
		c.That(!slices.Contains(in.WantedPaths, p), field.At("/unwantedPaths", i), "must not be wanted as well")
	}
	for i, h := range in.WorkingHours {
		at := field.At("/workingHours", i)
		c.That(h.From < h.To, at+"/to", "must be after from, on the same day") // HH:MM is ordered like its text
		c.That(!slices.ContainsFunc(in.WorkingHours[:i], func(o WorkingHours) bool {
			return o.Day == h.Day && o.From < h.To &&
				h.From < o.To
		}), at, "must not overlap other hours of the same day")
	}
	return c.Err()
}

// Mine reads a person's settings in a tenant.
func (s *Service) Mine(ctx context.Context, t domain.Tenant, user string) (MyAssignmentSettings, error) {
	d, err := s.Store.PersonalSetting(ctx, t, user, store.SettingAssignment)
	if err != nil {
		return MyAssignmentSettings{}, err
	}
	return mineOf(d)
}

func mineOf(d store.Document) (MyAssignmentSettings, error) {
	out := MyAssignmentSettings{MyAssignmentSettingsUpdate: MyAssignmentSettingsUpdate{TimeZone: "UTC"}, Version: d.Version,
		UpdatedAt: store.TimeOrNil(d.UpdatedUS)}
	if d.Version > 0 {
		out.NotInEffect = policy.UnreadIn(policy.DocMine)
	}
	err := decode(d.Body, &out.MyAssignmentSettingsUpdate)
	return out, err
}

// PutMine replaces a person's settings in a tenant. If version is not 0, it returns Stale unless the
// document has that version.
func (s *Service) PutMine(ctx context.Context, t domain.Tenant, user string, version int64,
	in MyAssignmentSettingsUpdate) (MyAssignmentSettings, error) {
	if err := in.check(); err != nil {
		return MyAssignmentSettings{}, err
	}
	var after MyAssignmentSettings
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		before, err := s.Mine(ctx, t, user)
		if err != nil {
			return audit.Act{}, err
		}
		d, err := s.Store.PutPersonalSettingAt(ctx, t, user, store.SettingAssignment, store.JSON(in), version)
		if err != nil {
			return audit.Act{}, err
		}
		after, err = mineOf(d)
		return audit.Act{Tenant: t, Action: "my-assignment.update", Target: audit.Target{Kind: "user", ID: user}, Before: before,
			After: after}, err
	})
	return after, err
}

// AvailabilityCreate is a time in which a person reviews less or not at all.
type AvailabilityCreate struct {
	From time.Time `json:"from" doc:"RFC 3339" example:"2030-01-07T00:00:00Z"`
	To   time.Time `json:"to" doc:"After from, by 366 days at most, and not over" example:"2030-01-14T00:00:00Z"`
	Kind string    `json:"kind" enum:"away,reduced" doc:"away: no suggestions. reduced: fewer"`
	Note string    `json:"note,omitempty" maxLength:"200" doc:"For the person alone"`
}

// Availability is a person's time of absence as the person sees it. The audit log records neither the time
// nor the note, because admins read the log and must not see absences.
type Availability struct {
	ID        string    `json:"id" audit:"ignore"`
	From      time.Time `json:"from" audit:"ignore"`
	To        time.Time `json:"to" audit:"ignore"`
	Kind      string    `json:"kind" enum:"away,reduced" audit:"ignore"`
	Note      string    `json:"note" audit:"ignore"`
	CreatedAt time.Time `json:"createdAt" audit:"ignore"`

	NotInEffect []policy.NotInEffect `json:"notInEffect,omitempty" audit:"ignore" doc:"What is stored and changes nothing for now; absent where there is nothing"`
}

func availabilityOf(v store.Availability) Availability {
	return Availability{ID: v.ID, From: store.Time(v.FromUS), To: store.Time(v.ToUS), Kind: v.Kind, Note: v.Note,
		CreatedAt: store.Time(v.CreatedUS), NotInEffect: policy.UnreadIn(policy.DocAvailability)}
}

// AddAvailability adds a time of absence for a person. Errors: Invalid, Conflict (too many).
func (s *Service) AddAvailability(ctx context.Context, t domain.Tenant, user string, in AvailabilityCreate) (Availability, error) {
	var c field.Check
	c.Line("/note", in.Note)
	c.That(in.From.Before(in.To), "/to", "must be after from")
	c.That(in.To.Sub(in.From) <= maxAvailabilityDays*24*time.Hour, "/to",
		fmt.Sprintf("must be at most %d days after from", maxAvailabilityDays))
	if err := c.Err(); err != nil {
		return Availability{}, err
	}
	var made Availability
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		there, err := s.Store.Availability(ctx, t, user, false, store.Cursor{}, MaxAvailability)
		if err != nil {
			return audit.Act{}, err
		}
		if len(there) == MaxAvailability {
			return audit.Act{}, errs.New(errs.Conflict, "limit_reached",
				"There are already %d times that are not over, and more are not possible. Delete some first.", MaxAvailability)
		}
		row, err := s.Store.CreateAvailability(ctx, t, store.Availability{User: user, FromUS: in.From.UnixMicro(),
			ToUS: in.To.UnixMicro(), Kind: in.Kind, Note: strings.TrimSpace(in.Note)})
		if errs.Is(err, errs.NotFound) { // the database's clock decides whether the time has ended
			return audit.Act{}, field.Wrong("/to", "must not be over already")
		}
		made = availabilityOf(row)
		return audit.Act{Tenant: t, Action: "availability.create", Target: audit.Target{Kind: "availability", ID: made.ID}, After: made}, err
	})
	return made, err
}

// Availability lists a person's times of absence, newest first. It includes those that have ended only if
// past is true.
func (s *Service) Availability(ctx context.Context, t domain.Tenant, user string, past bool, before store.Cursor,
	limit int) ([]Availability, error) {
	rows, err := s.Store.Availability(ctx, t, user, past, before, limit)
	out := make([]Availability, len(rows))
	for i, row := range rows {
		out[i] = availabilityOf(row)
	}
	return out, err
}

// DeleteAvailability deletes one of a person's times of absence.
func (s *Service) DeleteAvailability(ctx context.Context, t domain.Tenant, user, id string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.DeleteAvailability(ctx, t, user, id)
		return audit.Act{Tenant: t, Action: "availability.delete", Target: audit.Target{Kind: "availability", ID: id},
			Before: availabilityOf(row)}, err
	})
}
