// Parts of the C++ library that are compiled in advance and work on the program's memory: links of lists, and trees. Built
// with the program where it uses them, so that their accesses are seen as the program's own are.
#include <list>
#include <map>

namespace std {
namespace __detail {

void _List_node_base::_M_hook(_List_node_base *const place) noexcept {
  _M_next = place;
  _M_prev = place->_M_prev;
  place->_M_prev->_M_next = this;
  place->_M_prev = this;
}

void _List_node_base::_M_unhook() noexcept {
  _M_prev->_M_next = _M_next;
  _M_next->_M_prev = _M_prev;
}

// The nodes from one to before another come to stand before this one.
void _List_node_base::_M_transfer(_List_node_base *const first, _List_node_base *const end) noexcept {
  if (this == end || first == end) return;
  _List_node_base *const last = end->_M_prev;
  first->_M_prev->_M_next = end;
  end->_M_prev = first->_M_prev;
  first->_M_prev = _M_prev;
  _M_prev->_M_next = first;
  last->_M_next = this;
  _M_prev = last;
}

void _List_node_base::_M_reverse() noexcept {
  _List_node_base *at = this;
  do {
    _List_node_base *const next = at->_M_next;
    at->_M_next = at->_M_prev;
    at->_M_prev = next;
    at = next;
  } while (at != this);
}

void _List_node_base::swap(_List_node_base &one, _List_node_base &other) noexcept {
  _List_node_base middle;
  middle._M_next = middle._M_prev = &middle;
  middle._M_transfer(one._M_next, &one);
  one._M_transfer(other._M_next, &other);
  other._M_transfer(middle._M_next, &middle);
}

} // namespace __detail

namespace {
typedef _Rb_tree_node_base Node;

bool red(const Node *node) { return node && node->_M_color == _S_red; }

// Where a node hangs: at its parent, or as the root.
Node *&held(Node *node, Node &header) {
  Node *const parent = node->_M_parent;
  if (header._M_parent == node) return header._M_parent;
  return parent->_M_left == node ? parent->_M_left : parent->_M_right;
}

// A child, on the left or on the right, takes the place of its parent, which becomes its child on the other side.
void rotate(Node *node, bool left, Node &header) {
  Node *const child = left ? node->_M_left : node->_M_right;
  Node *const middle = left ? child->_M_right : child->_M_left;
  held(node, header) = child;
  child->_M_parent = node->_M_parent;
  (left ? child->_M_right : child->_M_left) = node;
  node->_M_parent = child;
  (left ? node->_M_left : node->_M_right) = middle;
  if (middle) middle->_M_parent = node;
}

Node *next(Node *node) {
  if (node->_M_right) {
    for (node = node->_M_right; node->_M_left;) node = node->_M_left;
    return node;
  }
  Node *parent = node->_M_parent;
  while (node == parent->_M_right) node = parent, parent = parent->_M_parent;
  // Beyond a root without a right child is the header, from which one came.
  return node->_M_right == parent ? node : parent;
}

Node *previous(Node *node) {
  // The header is red, and the parent of its parent.
  if (node->_M_color == _S_red && node->_M_parent->_M_parent == node) return node->_M_right;
  if (node->_M_left) {
    for (node = node->_M_left; node->_M_right;) node = node->_M_right;
    return node;
  }
  Node *parent = node->_M_parent;
  while (node == parent->_M_left) node = parent, parent = parent->_M_parent;
  return parent;
}
} // namespace

Node *_Rb_tree_increment(Node *node) throw() { return next(node); }
const Node *_Rb_tree_increment(const Node *node) throw() { return next(const_cast<Node *>(node)); }
Node *_Rb_tree_decrement(Node *node) throw() { return previous(node); }
const Node *_Rb_tree_decrement(const Node *node) throw() { return previous(const_cast<Node *>(node)); }

void _Rb_tree_insert_and_rebalance(const bool left, Node *node, Node *parent, Node &header) throw() {
  node->_M_parent = parent;
  node->_M_left = node->_M_right = nullptr;
  node->_M_color = _S_red;
  if (parent == &header) {
    header._M_parent = header._M_left = header._M_right = node;
  } else if (left) {
    parent->_M_left = node;
    if (parent == header._M_left) header._M_left = node;
  } else {
    parent->_M_right = node;
    if (parent == header._M_right) header._M_right = node;
  }
  while (node != header._M_parent && red(node->_M_parent)) {
    Node *const above = node->_M_parent, *const top = above->_M_parent;
    const bool side = above == top->_M_left;
    Node *const uncle = side ? top->_M_right : top->_M_left;
    if (red(uncle)) {
      above->_M_color = uncle->_M_color = _S_black;
      top->_M_color = _S_red;
      node = top;
      continue;
    }
    if (node == (side ? above->_M_right : above->_M_left)) rotate(above, !side, header);
    (side ? top->_M_left : top->_M_right)->_M_color = _S_black;
    top->_M_color = _S_red;
    rotate(top, side, header);
    break;
  }
  header._M_parent->_M_color = _S_black;
}

Node *_Rb_tree_rebalance_for_erase(Node *const gone, Node &header) throw() {
  if (header._M_left == gone) header._M_left = next(gone);
  if (header._M_right == gone) header._M_right = previous(gone);
  // A node with two children changes places with the next one, which has no left child.
  if (gone->_M_left && gone->_M_right) {
    Node *const other = next(gone), *const below = other->_M_right, *const above = other->_M_parent;
    held(gone, header) = other;
    other->_M_left = gone->_M_left;
    other->_M_left->_M_parent = other;
    if (above == gone) {
      other->_M_right = gone;
      other->_M_parent = gone->_M_parent;
      gone->_M_parent = other;
    } else {
      other->_M_right = gone->_M_right;
      other->_M_right->_M_parent = other;
      above->_M_left = gone;
      other->_M_parent = gone->_M_parent;
      gone->_M_parent = above;
    }
    gone->_M_left = nullptr;
    gone->_M_right = below;
    if (below) below->_M_parent = gone;
    const _Rb_tree_color color = gone->_M_color;
    gone->_M_color = other->_M_color;
    other->_M_color = color;
  }
  Node *at = gone->_M_left ? gone->_M_left : gone->_M_right, *above = gone->_M_parent;
  held(gone, header) = at;
  if (at) at->_M_parent = above;
  if (gone->_M_color == _S_red) return gone;
  // One black node is missing on the way to `at`.
  while (at != header._M_parent && !red(at)) {
    const bool side = at == above->_M_left;
    Node *other = side ? above->_M_right : above->_M_left;
    if (red(other)) {
      other->_M_color = _S_black;
      above->_M_color = _S_red;
      rotate(above, !side, header);
      other = side ? above->_M_right : above->_M_left;
    }
    if (!red(other->_M_left) && !red(other->_M_right)) {
      other->_M_color = _S_red;
      at = above;
      above = at->_M_parent;
      continue;
    }
    if (!red(side ? other->_M_right : other->_M_left)) {
      (side ? other->_M_left : other->_M_right)->_M_color = _S_black;
      other->_M_color = _S_red;
      rotate(other, side, header);
      other = side ? above->_M_right : above->_M_left;
    }
    other->_M_color = above->_M_color;
    above->_M_color = _S_black;
    (side ? other->_M_right : other->_M_left)->_M_color = _S_black;
    rotate(above, !side, header);
    break;
  }
  if (at) at->_M_color = _S_black;
  return gone;
}

} // namespace std
