package steal

// heap is a binary heap of nodes, the nearest first.
type heap []heapItem

type heapItem struct {
	distance int64
	node     int32
}

func (h *heap) push(node int32, distance int64) {
	*h = append(*h, heapItem{distance, node})
	s := *h
	i := len(s) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if s[parent].distance <= distance {
			break
		}
		s[i] = s[parent]
		i = parent
	}
	s[i] = heapItem{distance, node}
}

// pop takes the nearest node; there must be one.
func (h *heap) pop() (node int32, distance int64) {
	s := *h
	top, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	i := 0
	for {
		child := 2*i + 1
		if child >= len(s) {
			break
		}
		if child+1 < len(s) && s[child+1].distance < s[child].distance {
			child++
		}
		if s[child].distance >= last.distance {
			break
		}
		s[i] = s[child]
		i = child
	}
	if len(s) > 0 {
		s[i] = last
	}
	return top.node, top.distance
}
