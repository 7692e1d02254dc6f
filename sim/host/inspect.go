package host

import (
	"context"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// Requests returns the record of requests after a sequence number, bodies of writes included.
func (s *Server) Requests(after int64) []simapi.Request {
	list, _ := s.Recorder.List(after, true)
	return list
}

// Writes returns the recorded writes after a sequence number.
func (s *Server) Writes(after int64) []simapi.Write { return s.Recorder.Writes(after) }

// Deliveries returns all webhook deliveries, oldest first.
func (s *Server) Deliveries(payloads bool) []simapi.Delivery { return s.Sender.Describe(payloads) }

// WaitDeliveries waits until no delivery is under way; held ones count as under way.
func (s *Server) WaitDeliveries(ctx context.Context) error { return s.Sender.AwaitIdle(ctx) }

// SetFault adds a fault.
func (s *Server) SetFault(f simapi.Fault) (simapi.FaultState, error) { return s.Faults.Add(f) }

// ReleaseFault ends a fault and decides about everything that it holds; see [Faults.Decide].
func (s *Server) ReleaseFault(id, decision string) error { return s.Faults.Decide(id, decision) }
