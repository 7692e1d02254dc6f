package publish_test

// This file has the steps of the workers of direct_model_test.go, and those of the host.

func (p oneWrite) work(w place, i int, emit func(place)) {
	me := &w.workers[i]
	fenced := me.gen == w.gen && !w.over()
	to := func(n place, pc, id uint8) {
		n.workers[i].pc, n.workers[i].id = pc, id
		if pc == pcIdle {
			n.workers[i] = worker{}
		}
		emit(n)
	}
	ends := func(phase uint8) {
		n := w
		if fenced {
			n.phase, n.chosen = phase, me.id
		}
		to(n, pcIdle, 0)
	}
	switch me.pc {
	case pcAct:
		if !fenced {
			to(w, pcIdle, 0)
			return
		}
		p.look(w, i, to, ends)
	case pcSendCreate, pcSendDelete:
		kind, waits := sendsCreate, pcWaitCreate
		if me.pc == pcSendDelete {
			kind, waits = sendsDelete, pcWaitDelete
		}
		for f := range w.flight {
			if w.flight[f].kind == 0 {
				w.flight[f] = request{kind: kind, target: me.id, sender: uint8(i + 1)}
				to(w, waits, me.id)
				return
			}
		}
	case pcCompare:
		switch o := w.objects[me.id-1]; {
		case o.state == objGone || o.state == objNone:
			ends(phaseAbandoned)
		case o.whole() || o.person:
			to(w, pcPublish, me.id)
		case fenced:
			to(w, pcSendDelete, me.id)
		default:
			to(w, pcIdle, 0)
		}
	case pcPublish:
		ends(phasePublished)
	}
}

// look waits, and then lists the reviews.
func (p oneWrite) look(w place, i int, to func(place, uint8, uint8), ends func(uint8)) {
	newest := 0
	for k, o := range w.objects {
		if o.state == objPending || o.state == objVisible {
			newest = k + 1
		}
	}
	p.looked(w, i, 0, to, ends)
	if p.lag && newest != 0 {
		p.looked(w, i, newest, to, ends)
	}
}

// looked returns the worlds that follow from a list. misses is the object that the list lacks, or 0.
func (p oneWrite) looked(w place, i, misses int, to func(place, uint8, uint8), ends func(uint8)) {
	left, foreign := uint8(0), false
	for k, o := range w.objects {
		id := uint8(k + 1)
		switch {
		case id == uint8(misses) || p.blind:
		case o.state == objVisible && o.mark:
			to(w, pcCompare, id)
			return
		case o.state != objPending:
		case o.person && !p.greedy:
			foreign = true
		default:
			left = id
		}
	}
	switch {
	case w.comes(i) && !p.absentMinded && !p.late && !p.blind:
		to(w, pcIdle, 0) // the job runs again
	case foreign:
		ends(phaseAbandoned)
	case left != 0 && !p.keepsLeft:
		to(w, pcSendDelete, left)
	default:
		w.phase = phaseSubmitting
		to(w, pcSendCreate, 0)
	}
}

// comes reports whether a create by a sender other than i may still be applied.
func (w place) comes(i int) bool {
	for _, r := range w.flight {
		if r.kind == sendsCreate {
			return true
		}
	}
	return w.workers[1-i].pc == pcSendCreate
}

// resolve emits the possible outcomes of a request.
func (p oneWrite) resolve(w place, i int, emit func(place)) {
	r := w.flight[i]
	dropped := w
	dropped.flight[i] = request{}
	whole, part, id, possible := dropped.apply(r)
	if r.sender == 0 { // applied late, or never
		emit(dropped)
		if possible {
			emit(whole)
			emit(part)
		}
		return
	}
	s := int(r.sender - 1)
	lost := func(n place) {
		n.workers[s].pc, n.workers[s].id = pcAct, 0
		emit(n)
	}
	lost(dropped)
	after := w
	after.flight[i].sender = 0
	lost(after)
	if !possible {
		return
	}
	lost(whole)
	lost(part) // answered with 500
	n := whole
	n.workers[s].pc, n.workers[s].id = pcAct, 0
	if r.kind == sendsCreate {
		n.workers[s].pc, n.workers[s].id = pcCompare, id
	}
	emit(n)
}

// apply is the host. whole is the world after the whole request, and part the world after a part of it.
func (w place) apply(r request) (whole, part place, id uint8, possible bool) {
	if r.kind == sendsDelete {
		w.objects[r.target-1].state = objGone
		return w, w, r.target, true
	}
	at := -1
	for i, o := range w.objects {
		if o.state == objPending {
			at = i
			break
		}
		if o.state == objNone && at < 0 {
			at = i
		}
	}
	if at < 0 {
		return w, w, 0, false
	}
	o := &w.objects[at]
	o.state, o.first = objPending, min(o.first+1, 2)
	part = w
	o.state, o.second, o.mark = objVisible, min(o.second+1, 2), true
	return w, part, uint8(at + 1), true
}
