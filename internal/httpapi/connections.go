package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracking"
)

// InConnection names a connection in a path.
type InConnection struct {
	InTenant
	ConnectionID string `path:"connectionId"`
}

func (s *server) providerConnections(ctx context.Context, in *struct {
	InTenant
	Page
}) (*Listed[tracking.ProviderConnection], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Tracking.Providers(ctx, callerFrom(ctx).tenant, tracking.Page{Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(r tracking.ProviderConnection) (time.Time, string) { return r.CreatedAt, r.ID }), nil
}

func (s *server) createProviderConnection(ctx context.Context, in *struct {
	InTenant
	Body tracking.ProviderConnectionCreate
}) (*Made[tracking.ProviderConnection], error) {
	r, err := s.Tracking.CreateProvider(ctx, callerFrom(ctx).tenant, in.Body)
	if err != nil {
		return nil, err
	}
	return &Made[tracking.ProviderConnection]{Location: in.path() + "/provider-connections/" + r.ID, ETag: etag(r.Version), Body: r}, nil
}

func (s *server) updateProviderConnection(ctx context.Context, in *struct {
	InConnection
	Guard
	Body tracking.ProviderConnectionUpdate
}) (*Shown[tracking.ProviderConnection], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	r, err := s.Tracking.UpdateProvider(ctx, callerFrom(ctx).tenant, in.ConnectionID, version, in.Body)
	if err != nil {
		return nil, err
	}
	return &Shown[tracking.ProviderConnection]{ETag: etag(r.Version), Body: r}, nil
}

func (s *server) deleteProviderConnection(ctx context.Context, in *InConnection) (*Gone, error) {
	return nil, s.Tracking.DeleteProvider(ctx, callerFrom(ctx).tenant, in.ConnectionID)
}

func (s *server) testProviderConnection(ctx context.Context, in *InConnection) (*Read[tracking.ConnectionChecks], error) {
	return read(s.Tracking.TestProvider(ctx, callerFrom(ctx).tenant, in.ConnectionID))
}

func (s *server) syncProviderConnection(ctx context.Context, in *InConnection) (*Begun, error) {
	row, err := s.Tracking.SyncProvider(ctx, callerFrom(ctx).tenant, in.ConnectionID)
	return in.begun(row, err)
}

// Begun is an answer that refers to a job that continues.
type Begun struct {
	Location string `header:"Location"`
	Body     Job
}

func (in InConnection) begun(row store.Job, err error) (*Begun, error) {
	if err != nil {
		return nil, err
	}
	return &Begun{in.path() + "/jobs/" + row.ID, jobShown(row)}, nil
}

// Secret is an answer that shows a secret, once.
type Secret[T any] struct{ Body T }

func (s *server) rotateProviderSecret(ctx context.Context, in *InConnection) (*Secret[tracking.WebhookSecret], error) {
	v, err := s.Tracking.RotateProviderSecret(ctx, callerFrom(ctx).tenant, in.ConnectionID)
	if err != nil {
		return nil, err
	}
	return &Secret[tracking.WebhookSecret]{v}, nil
}

func (s *server) trackerConnections(ctx context.Context, in *struct {
	InTenant
	Page
}) (*Listed[tracking.TrackerConnection], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Tracking.Trackers(ctx, callerFrom(ctx).tenant, tracking.Page{Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(r tracking.TrackerConnection) (time.Time, string) { return r.CreatedAt, r.ID }), nil
}

func (s *server) createTrackerConnection(ctx context.Context, in *struct {
	InTenant
	Body tracking.TrackerConnectionCreate
}) (*Made[tracking.TrackerConnection], error) {
	r, err := s.Tracking.CreateTracker(ctx, callerFrom(ctx).tenant, in.Body)
	if err != nil {
		return nil, err
	}
	return &Made[tracking.TrackerConnection]{Location: in.path() + "/tracker-connections/" + r.ID, ETag: etag(r.Version), Body: r}, nil
}

func (s *server) updateTrackerConnection(ctx context.Context, in *struct {
	InConnection
	Guard
	Body tracking.TrackerConnectionUpdate
}) (*Shown[tracking.TrackerConnection], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	r, err := s.Tracking.UpdateTracker(ctx, callerFrom(ctx).tenant, in.ConnectionID, version, in.Body)
	if err != nil {
		return nil, err
	}
	return &Shown[tracking.TrackerConnection]{ETag: etag(r.Version), Body: r}, nil
}

func (s *server) deleteTrackerConnection(ctx context.Context, in *InConnection) (*Gone, error) {
	return nil, s.Tracking.DeleteTracker(ctx, callerFrom(ctx).tenant, in.ConnectionID)
}

func (s *server) rotateTrackerSecret(ctx context.Context, in *InConnection) (*Secret[tracking.WebhookSecret], error) {
	v, err := s.Tracking.RotateTrackerSecret(ctx, callerFrom(ctx).tenant, in.ConnectionID)
	if err != nil {
		return nil, err
	}
	return &Secret[tracking.WebhookSecret]{v}, nil
}

func (s *server) testTrackerConnection(ctx context.Context, in *InConnection) (*Read[tracking.TrackerChecks], error) {
	return read(s.Tracking.TestTracker(ctx, callerFrom(ctx).tenant, in.ConnectionID))
}

func (s *server) tryTrackerMapping(ctx context.Context, in *InConnection) (*Read[tracking.MappingTrial], error) {
	return read(s.Tracking.TryMapping(ctx, callerFrom(ctx).tenant, in.ConnectionID))
}

func (s *server) backfillTracker(ctx context.Context, in *InConnection) (*Begun, error) {
	row, err := s.Tracking.BackfillTracker(ctx, callerFrom(ctx).tenant, in.ConnectionID)
	return in.begun(row, err)
}
