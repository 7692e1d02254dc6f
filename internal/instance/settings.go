package instance

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/store"
)

// The values of installationPlacement.
const (
	PlaceAppOwner  = "appOwner"         // the account that owns the app goes to the first tenant; others wait
	PlaceManual    = "manual"           // every installation waits
	PlacePerTenant = "tenantPerAccount" // each account gets its own tenant
)

// The origins of a setting's value.
const (
	FromConfiguration = "configuration" // environment or file of the process; read-only here
	FromStored        = "stored"
	FromDefault       = "default"
)

// Process is the process configuration. A setting that it fixes wins over the stored value and cannot be
// changed through the interface.
type Process struct {
	BaseURL       string // public origin; by default derived from the listen address
	Edition       string
	AirGap        AirGap
	Idle          time.Duration // of sessions
	Absolute      time.Duration // of sessions
	Retention     Retention
	Fixed         map[string]bool // by the setting's JSON pointer: /publicBaseUrl, /session/idleMinutes …
	TrustProxyTLS bool
}

// AirGap lists the addresses that may be reached inside a private network. It comes only from the process
// configuration, because an admin's browser must not open the network.
type AirGap struct {
	AllowHTTP    bool     `json:"allowHttp"`
	AllowedHosts []string `json:"allowedHosts" maxItems:"500"`
	AllowedCIDRs []string `json:"allowedCidrs" maxItems:"500"`
}

// Retention is how long data are kept, in days; 0 keeps them.
type Retention struct {
	DeliveryBodiesDays int `json:"deliveryBodiesDays" audit:"track" doc:"Bodies of webhooks. 0 keeps them"`
	RunsDays           int `json:"runsDays" audit:"track" doc:"Ended review and triage runs of closed pull requests, with their findings, and dry runs; what they have cost stays. 0 keeps them"`
	AuditBodiesDays    int `json:"auditBodiesDays" audit:"track" doc:"Erasable bodies of audit entries; the entries stay. 0 keeps them"`
}

// SessionLife is how long people stay signed in.
type SessionLife struct {
	IdleMinutes   int `json:"idleMinutes" doc:"A session ends after so long without a request"`
	AbsoluteHours int `json:"absoluteHours" doc:"A session ends after so long in any case"`
}

// RetentionUpdate changes a part of [Retention].
type RetentionUpdate struct {
	DeliveryBodiesDays patch.Value[int] `json:"deliveryBodiesDays,omitzero" minimum:"0" maximum:"3650"`
	RunsDays           patch.Value[int] `json:"runsDays,omitzero" minimum:"0" maximum:"3650"`
	AuditBodiesDays    patch.Value[int] `json:"auditBodiesDays,omitzero" minimum:"0" maximum:"3650"`
}

// SessionLifeUpdate changes a part of [SessionLife].
type SessionLifeUpdate struct {
	IdleMinutes   patch.Value[int] `json:"idleMinutes,omitzero" minimum:"5" maximum:"43200"`
	AbsoluteHours patch.Value[int] `json:"absoluteHours,omitzero" minimum:"1" maximum:"8760"`
}

// InstanceSettingsUpdate changes the instance's settings. Absent fields stay.
type InstanceSettingsUpdate struct {
	Name                  patch.Value[string]            `json:"name,omitzero" minLength:"1" maxLength:"100" example:"Example Corp reviews"`
	PublicBaseURL         patch.Value[string]            `json:"publicBaseUrl,omitzero" minLength:"1" maxLength:"300" doc:"Origin under which browsers and code hosts reach the service. Where the process configuration sets it, it cannot be changed here" example:"https://assay.example.com"`
	Edition               patch.Value[string]            `json:"edition,omitzero" enum:"self-hosted,hosted,enterprise" doc:"Comes from the process configuration: only the value that is there is taken" example:"self-hosted"`
	InstallationPlacement patch.Value[string]            `json:"installationPlacement,omitzero" enum:"appOwner,manual,tenantPerAccount" doc:"Where an installation on an account goes that no tenant has placed yet"`
	AirGap                patch.Value[AirGap]            `json:"airGap,omitzero" doc:"Comes from the process configuration: only the value that is there is taken" example:"{\"allowHttp\":false,\"allowedHosts\":[],\"allowedCidrs\":[]}"`
	Retention             patch.Value[RetentionUpdate]   `json:"retention,omitzero"`
	Session               patch.Value[SessionLifeUpdate] `json:"session,omitzero"`
	PushServiceHosts      patch.Value[[]string]          `json:"pushServiceHosts,omitzero" maxItems:"50" doc:"Hosts of push services that subscriptions may name; *.example.com is every host below" example:"[\"fcm.googleapis.com\"]"`
}

// InstanceSettings are the settings in effect.
type InstanceSettings struct {
	Name                  string            `json:"name" audit:"track"`
	PublicBaseURL         string            `json:"publicBaseUrl" audit:"track"`
	Edition               string            `json:"edition" enum:"self-hosted,hosted,enterprise" audit:"ignore"`
	InstallationPlacement string            `json:"installationPlacement" enum:"appOwner,manual,tenantPerAccount" audit:"track"`
	AirGap                AirGap            `json:"airGap" audit:"ignore"`
	Retention             Retention         `json:"retention" audit:"track"`
	Session               SessionLife       `json:"session" audit:"track"`
	PushServiceHosts      []string          `json:"pushServiceHosts" audit:"track"`
	Origins               map[string]string `json:"origins" audit:"ignore" doc:"By JSON pointer: configuration (fixed by the process, cannot be changed here), stored, or default"`
	Version               int64             `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\"; 0 where nothing is stored"`
	UpdatedAt             *time.Time        `json:"updatedAt,omitempty" audit:"ignore"`

	secureSince int64 // see [Service.SecureSince]
}

// storedSettings is the stored document; nil fields are unset.
type storedSettings struct {
	Name               *string  `json:"name,omitempty"`
	PublicBaseURL      *string  `json:"publicBaseUrl,omitempty"`
	Placement          *string  `json:"installationPlacement,omitempty"`
	DeliveryBodiesDays *int     `json:"deliveryBodiesDays,omitempty"`
	RunsDays           *int     `json:"runsDays,omitempty"`
	AuditBodiesDays    *int     `json:"auditBodiesDays,omitempty"`
	IdleMinutes        *int     `json:"idleMinutes,omitempty"`
	AbsoluteHours      *int     `json:"absoluteHours,omitempty"`
	PushServiceHosts   []string `json:"pushServiceHosts,omitempty"`
	SecureSinceUS      int64    `json:"secureSinceUs,omitempty"` // see [Service.SecureSince]
}

// defaultPushServices are the push services of the common browsers: Chrome and its relatives, Firefox,
// Safari, Edge (each browser's documentation of Web Push).
func defaultPushServices() []string {
	return []string{"fcm.googleapis.com", "updates.push.services.mozilla.com", "web.push.apple.com", "*.notify.windows.com"}
}

func (s *Service) effective(doc store.Document) InstanceSettings {
	p, stored := s.Process, store.FromJSON[storedSettings](doc.Body)
	placement := PlaceAppOwner
	if p.Edition == "hosted" {
		placement = PlacePerTenant
	}
	out := InstanceSettings{Name: "assay", PublicBaseURL: p.BaseURL, Edition: p.Edition, InstallationPlacement: placement,
		AirGap: p.AirGap, Retention: p.Retention,
		Session:          SessionLife{int(p.Idle / time.Minute), int(p.Absolute / time.Hour)},
		PushServiceHosts: defaultPushServices(), Origins: map[string]string{"/edition": FromConfiguration, "/airGap": FromConfiguration},
		Version: doc.Version, UpdatedAt: store.TimeOrNil(doc.UpdatedUS), secureSince: stored.SecureSinceUS}
	out.AirGap.AllowedHosts, out.AirGap.AllowedCIDRs = append([]string{}, out.AirGap.AllowedHosts...),
		append([]string{}, out.AirGap.AllowedCIDRs...)
	choose(s, &out, "/name", &out.Name, stored.Name)
	choose(s, &out, "/publicBaseUrl", &out.PublicBaseURL, stored.PublicBaseURL)
	choose(s, &out, "/installationPlacement", &out.InstallationPlacement, stored.Placement)
	choose(s, &out, "/retention/deliveryBodiesDays", &out.Retention.DeliveryBodiesDays, stored.DeliveryBodiesDays)
	choose(s, &out, "/retention/runsDays", &out.Retention.RunsDays, stored.RunsDays)
	choose(s, &out, "/retention/auditBodiesDays", &out.Retention.AuditBodiesDays, stored.AuditBodiesDays)
	choose(s, &out, "/session/idleMinutes", &out.Session.IdleMinutes, stored.IdleMinutes)
	choose(s, &out, "/session/absoluteHours", &out.Session.AbsoluteHours, stored.AbsoluteHours)
	var hosts *[]string
	if stored.PushServiceHosts != nil {
		hosts = &stored.PushServiceHosts
	}
	choose(s, &out, "/pushServiceHosts", &out.PushServiceHosts, hosts)
	return out
}

func choose[T any](s *Service, out *InstanceSettings, pointer string, dst *T, stored *T) {
	switch {
	case s.Process.Fixed[pointer]:
		out.Origins[pointer] = FromConfiguration
	case stored != nil:
		*dst, out.Origins[pointer] = *stored, FromStored
	default:
		out.Origins[pointer] = FromDefault
	}
}

// Settings returns the settings in effect.
func (s *Service) Settings(ctx context.Context) (InstanceSettings, error) {
	doc, err := s.Store.InstanceDocument(ctx, store.DocumentSettings)
	if err != nil {
		return InstanceSettings{}, err
	}
	out := s.effective(doc)
	s.cacheSettings(out)
	return out, nil
}

// freshness is how long a process uses settings that another process may have changed.
const freshness = 2 * time.Second

// Live returns the settings in effect. They are at most two seconds old while the database answers;
// otherwise they are the last ones read.
func (s *Service) Live(ctx context.Context) InstanceSettings {
	s.mu.Lock()
	last := s.live
	if time.Since(last.at) >= freshness { // one caller reads, the others use the present value
		s.live.at = time.Now()
	}
	s.mu.Unlock()
	if last.settings.Edition != "" && time.Since(last.at) < freshness {
		return last.settings
	}
	if got, err := s.Settings(context.WithoutCancel(ctx)); err == nil {
		return got
	}
	if last.settings.Edition == "" {
		return s.effective(store.Document{})
	}
	return last.settings
}

func (s *Service) cacheSettings(v InstanceSettings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = cachedSettings{v, time.Now()}
}

// UpdateSettings changes the settings. version 0 means any version. Errors: Invalid, Stale.
func (s *Service) UpdateSettings(ctx context.Context, version int64, in InstanceSettingsUpdate) (InstanceSettings, error) {
	var after InstanceSettings
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		doc, err := s.Store.InstanceDocument(ctx, store.DocumentSettings)
		if err != nil {
			return audit.Act{}, err
		}
		if !versionFits(version, doc.Version) {
			return audit.Act{}, errs.Changed()
		}
		before, stored := s.effective(doc), store.FromJSON[storedSettings](doc.Body)
		if err := s.merge(before, &stored, in); err != nil {
			return audit.Act{}, err
		}
		if next := s.effective(store.Document{Body: store.JSON(stored)}); Secure(next.PublicBaseURL) && !Secure(before.PublicBaseURL) {
			if stored.SecureSinceUS, err = s.Store.Now(ctx); err != nil {
				return audit.Act{}, err
			}
		}
		doc, err = s.Store.PutInstanceDocument(ctx, store.DocumentSettings, store.JSON(stored), doc.Version)
		if errs.Is(err, errs.NotFound) {
			return audit.Act{}, errs.Changed()
		}
		after = s.effective(doc)
		return audit.Act{Action: "settings.update", Target: audit.Target{Kind: "instance", ID: "instance", Name: after.Name},
			Before: before, After: after}, err
	})
	if err == nil {
		s.cacheSettings(after)
	}
	return after, err
}

// merge applies a change and returns its errors.
func (s *Service) merge(now InstanceSettings, stored *storedSettings, in InstanceSettingsUpdate) error {
	var c field.Check
	c.That(!in.Edition.Set() || in.Edition.Get() == now.Edition, "/edition",
		"comes from the process configuration (ASSAY_EDITION) and cannot be changed here")
	if gap := in.AirGap.Get(); in.AirGap.Set() {
		same := gap.AllowHTTP == now.AirGap.AllowHTTP && slices.Equal(gap.AllowedHosts, now.AirGap.AllowedHosts) &&
			slices.Equal(gap.AllowedCIDRs, now.AirGap.AllowedCIDRs)
		c.That(same, "/airGap", "comes from the process configuration (ASSAY_OUTBOUND_AIR_GAP_…) and cannot be changed here")
	}
	set(s, &c, "/name", in.Name, now.Name, &stored.Name)
	if in.Name.Set() {
		c.Name("/name", in.Name.Get())
	}
	base := in.PublicBaseURL
	if base.Set() {
		origin, problem := publicOrigin(base.Get(), s.Process.TrustProxyTLS)
		c.That(problem == "", "/publicBaseUrl", problem)
		base = patch.Of(origin)
	}
	set(s, &c, "/publicBaseUrl", base, now.PublicBaseURL, &stored.PublicBaseURL)
	set(s, &c, "/installationPlacement", in.InstallationPlacement, now.InstallationPlacement, &stored.Placement)
	keep, life := in.Retention.Get(), in.Session.Get()
	set(s, &c, "/retention/deliveryBodiesDays", keep.DeliveryBodiesDays, now.Retention.DeliveryBodiesDays, &stored.DeliveryBodiesDays)
	set(s, &c, "/retention/runsDays", keep.RunsDays, now.Retention.RunsDays, &stored.RunsDays)
	set(s, &c, "/retention/auditBodiesDays", keep.AuditBodiesDays, now.Retention.AuditBodiesDays, &stored.AuditBodiesDays)
	set(s, &c, "/session/idleMinutes", life.IdleMinutes, now.Session.IdleMinutes, &stored.IdleMinutes)
	set(s, &c, "/session/absoluteHours", life.AbsoluteHours, now.Session.AbsoluteHours, &stored.AbsoluteHours)
	idle, absolute := now.Session.IdleMinutes, now.Session.AbsoluteHours
	life.IdleMinutes.Into(&idle)
	life.AbsoluteHours.Into(&absolute)
	c.That(!in.Session.Set() || idle <= absolute*60, "/session/idleMinutes", "must not be longer than absoluteHours")
	if hosts := in.PushServiceHosts.Get(); in.PushServiceHosts.Set() {
		for i, h := range hosts {
			c.That(pushHost(h), field.At("/pushServiceHosts", i), "must be the name of a host in lower case, such as fcm.googleapis.com "+
				"or *.notify.windows.com")
		}
		c.Distinct("/pushServiceHosts", hosts)
		stored.PushServiceHosts = append([]string{}, hosts...)
	}
	return c.Err()
}

// set stores a value unless the process fixes the setting to another one.
func set[T comparable](s *Service, c *field.Check, pointer string, in patch.Value[T], now T, dst **T) {
	if !in.Set() {
		return
	}
	if s.Process.Fixed[pointer] {
		c.That(in.Get() == now, pointer, "is fixed by the process configuration and cannot be changed here")
		return
	}
	v := in.Get()
	*dst = &v
}

func pushHost(h string) bool {
	name := strings.TrimPrefix(h, "*.")
	if len(name) > 253 || !strings.Contains(name, ".") || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") ||
		strings.Contains(name, "..") {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.-") == ""
}

// SessionLife returns the lifetimes of sessions.
func (s *Service) SessionLife(ctx context.Context) (idle, absolute time.Duration) {
	v := s.Live(ctx)
	if s.Process.Fixed["/session/idleMinutes"] || v.Origins["/session/idleMinutes"] == FromDefault {
		idle = s.Process.Idle // exact, while the interface shows whole minutes
	} else {
		idle = time.Duration(v.Session.IdleMinutes) * time.Minute
	}
	if s.Process.Fixed["/session/absoluteHours"] || v.Origins["/session/absoluteHours"] == FromDefault {
		absolute = s.Process.Absolute
	} else {
		absolute = time.Duration(v.Session.AbsoluteHours) * time.Hour
	}
	return idle, absolute
}
