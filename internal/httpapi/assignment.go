package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/assign"
)

// InMine is the path of a person's own data in a tenant.
type InMine struct {
	TenantID string `path:"tenantId"`
}

func (in InMine) path() string { return "/api/me/tenants/" + in.TenantID }

func (s *server) myAssignment(ctx context.Context, _ *InMine) (*Shown[assign.MyAssignmentSettings], error) {
	c := callerFrom(ctx)
	v, err := s.Assign.Mine(ctx, c.tenant, c.user.ID)
	return shown(v, v.Version, err)
}

func (s *server) putMyAssignment(ctx context.Context, in *struct {
	InMine
	Guard
	Body assign.MyAssignmentSettingsUpdate
}) (*Shown[assign.MyAssignmentSettings], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	v, err := s.Assign.PutMine(ctx, c.tenant, c.user.ID, version, in.Body)
	return shown(v, v.Version, err)
}

func (s *server) myAvailability(ctx context.Context, in *struct {
	InMine
	Page
	Past bool `query:"past" doc:"Those that are over as well"`
}) (*Listed[assign.Availability], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	rows, err := s.Assign.Availability(ctx, c.tenant, c.user.ID, in.Past, before, limit)
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(v assign.Availability) (time.Time, string) { return v.CreatedAt, v.ID }), nil
}

func (s *server) addAvailability(ctx context.Context, in *struct {
	InMine
	Body assign.AvailabilityCreate
}) (*MadeOnce[assign.Availability], error) {
	c := callerFrom(ctx)
	v, err := s.Assign.AddAvailability(ctx, c.tenant, c.user.ID, in.Body)
	if err != nil {
		return nil, err
	}
	return &MadeOnce[assign.Availability]{Location: in.path() + "/assignment/availability/" + v.ID, Body: v}, nil
}

func (s *server) deleteAvailability(ctx context.Context, in *struct {
	InMine
	ID string `path:"id"`
}) (*Gone, error) {
	c := callerFrom(ctx)
	return nil, s.Assign.DeleteAvailability(ctx, c.tenant, c.user.ID, in.ID)
}

func (s *server) assignmentSettings(ctx context.Context, _ *InTenant) (*Shown[assign.TenantAssignmentSettings], error) {
	v, err := s.Assign.Settings(ctx, callerFrom(ctx).tenant)
	return shown(v, v.Version, err)
}

func (s *server) putAssignmentSettings(ctx context.Context, in *struct {
	InTenant
	Guard
	Body assign.TenantAssignmentSettingsUpdate
}) (*Shown[assign.TenantAssignmentSettings], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	v, err := s.Assign.PutSettings(ctx, callerFrom(ctx).tenant, version, in.Body)
	return shown(v, v.Version, err)
}

func (s *server) assignmentTransparency(ctx context.Context, _ *InTenant) (*Read[assign.AssignmentTransparency], error) {
	c := callerFrom(ctx)
	v, err := s.Assign.Transparency(ctx, c.tenant, c.user.ID)
	return read(v, err)
}

func (s *server) putApplyOptIn(ctx context.Context, in *struct {
	InRepository
	Guard
	Body assign.ApplyOptInUpdate
}) (*Shown[assign.ApplyOptIn], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	v, err := s.Assign.PutOptIn(ctx, c.tenant, c.repository.ID, version, in.Body)
	return shown(v, v.Version, err)
}

func (s *server) assignmentGate(ctx context.Context, _ *InRepository) (*Read[assign.AssignmentGate], error) {
	c := callerFrom(ctx)
	v, err := s.Assign.Gate(ctx, c.tenant, c.repository.ID)
	return read(v, err)
}

func (s *server) assignmentWorkload(ctx context.Context, _ *InRepository) (*Listed[assign.Workload], error) {
	c := callerFrom(ctx)
	rows, err := s.Assign.Workload(ctx, c.tenant, c.repository.ID)
	if err != nil {
		return nil, err
	}
	return &Listed[assign.Workload]{List[assign.Workload]{Items: rows}}, nil
}

func (s *server) assignments(ctx context.Context, in *struct {
	InRepository
	Page
}) (*Listed[assign.Assignment], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	rows, err := s.Assign.Assignments(ctx, c.tenant, c.repository.ID, before, limit)
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(v assign.Assignment) (time.Time, string) { return v.CreatedAt, v.ID }), nil
}
